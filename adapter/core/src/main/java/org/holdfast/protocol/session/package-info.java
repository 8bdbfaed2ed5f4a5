// SPDX-License-Identifier: Apache-2.0
/**
 * What an application and its container see of the protocol.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.session.AbstractLockConnection} is what all connections have in common: how they
 *   take leases through a session. {@link org.holdfast.protocol.session.PendingLease} is what one caller asks for, in
 *   two phases: attempted through the nodes of the caller's connection, then waited for without them.
 *   <li>{@link org.holdfast.protocol.session.LockSession} is what a connection handle has. It completes requests with
 *       the defaults, and binds each lease to the transaction or to the handle.
 *   <li>{@code LeaseHandle} is the lease that the application gets, {@code LossInterrupt} the interrupt of its thread
 *       if the lease is lost. {@code LeaseHandles} are those that a connection remembers. {@code JdkLock} gives leases
 *       the shape of the JDK's locks, {@code JdkLockLeases} has what was taken through one connection in that shape.
 *   <li>{@link org.holdfast.protocol.session.TransactionLeases} keeps leases until their transactions have completed.
 *       The {@link org.holdfast.protocol.session.Transactions} themselves are handed in.
 *   <li>{@link org.holdfast.protocol.session.LeaseShutdown} ends the leases when the service stops.
 * </ul>
 *
 * <p>The room knows {@code admin}, {@code waiting}, {@code lease} and the rooms below them.
 */
@NullMarked
package org.holdfast.protocol.session;

import org.jspecify.annotations.NullMarked;
