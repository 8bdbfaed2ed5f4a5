/**
 * Puts the rooms together: settings in, a running lock service out.
 *
 * <p>A {@link org.holdfast.runtime.LockService} owns all state: the leases, its own connections (which release and
 * renew, because the caller's may be gone by then) and the one periodic task. The resource adapter runs one, and so
 * does each factory of {@link org.holdfast.Holdfast#connect(String)}; they differ only in where threads, transactions
 * and pooling come from. Nothing of Jakarta EE is known here.
 */
@NullMarked
package org.holdfast.runtime;

import org.jspecify.annotations.NullMarked;
