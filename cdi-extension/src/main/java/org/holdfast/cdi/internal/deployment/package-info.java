/**
 * Which methods of an application are locked, and why others cannot be.
 *
 * <p>{@link org.holdfast.cdi.internal.deployment.LockedApplication} gathers the operations of all beans while the
 * application is deployed, with all that is wrong, to report it at once. An annotation that would have no effect is
 * wrong: {@link org.holdfast.cdi.internal.deployment.InterceptionRules} knows where no interceptor comes, {@link
 * org.holdfast.cdi.internal.deployment.SelfCalls} which methods a class calls on itself, {@link
 * org.holdfast.cdi.internal.deployment.UnfinishedWork} which results stand for work that goes on. Calls look their
 * operation up in {@link org.holdfast.cdi.internal.deployment.TargetOperations}.
 */
@NullMarked
package org.holdfast.cdi.internal.deployment;

import org.jspecify.annotations.NullMarked;
