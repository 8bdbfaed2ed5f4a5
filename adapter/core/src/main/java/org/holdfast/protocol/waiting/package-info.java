// SPDX-License-Identifier: Apache-2.0
/**
 * How a caller gets a lock: once more if its holder has it, else from the nodes, attempt by attempt.
 *
 * <p>Start at {@link org.holdfast.protocol.waiting.Acquirer}.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.waiting.Reentry} finds a lock that the holder has already.
 *   <li>{@link org.holdfast.protocol.waiting.Acquiring} is how one caller gets a lock: an attempt at once, then a wait
 *   in line. It decides when the next attempt is due ({@code NextAttempt}, {@code Pace}, {@link
 *   org.holdfast.protocol.waiting.RetryDelay}),
 *   with {@link org.holdfast.protocol.waiting.AttemptLimiter} as the bound of attempts at the same time. {@link
 *   org.holdfast.protocol.waiting.Claims} makes each of them on the nodes, with a new owner and a new token.
 *   <li>The wait goes step by step. A thread drives it, in {@code BlockingWait}; or events do, in {@code
 *       AsyncAcquiring} (of which {@link org.holdfast.protocol.waiting.AsyncAcquirer} has all) with a {@code Promise}.
 *   <li>The result is an {@link org.holdfast.protocol.waiting.AcquireResult}. {@link
 *       org.holdfast.protocol.waiting.LockFailures} makes an exception of one that is no lock.
 * </ul>
 *
 * <p>The places of callers are in {@code queue}, the locks that they get in {@code lease}. The room knows these two and
 * the rooms below them. It knows no transaction and no connection handle.
 */
@NullMarked
package org.holdfast.protocol.waiting;

import org.jspecify.annotations.NullMarked;
