/**
 * The resource adapter: what Jakarta Connectors asks for, and nothing of the algorithm.
 *
 * <p>{@link org.holdfast.connector.HoldfastResourceAdapter} runs a {@link org.holdfast.runtime.LockService} from
 * {@code start} to {@code stop}, and one more for each key prefix that a connection factory has of its own; it owns,
 * through them, every lease. It inherits its properties from {@link org.holdfast.connector.LockServiceProperties}. A
 * {@link org.holdfast.connector.LockManagedConnection} is one connection to each node, which the container pools;
 * there is no pool in here. A {@link org.holdfast.connector.LockConnectionHandle} is what the container knows of its
 * user, and a {@link org.holdfast.connector.LazyConnection} what applications have: it has a handle except while it
 * waits for a lock. Leases belong to the adapter: they outlive handles and managed connections where a transaction
 * keeps them.
 *
 * <p>The adapter takes part in no transaction as a resource. It only asks to be notified when one completes.
 */
@NullMarked
package org.holdfast.connector;

import org.jspecify.annotations.NullMarked;
