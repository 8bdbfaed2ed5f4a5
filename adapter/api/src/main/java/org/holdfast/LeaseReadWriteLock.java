// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A lock for many readers or one writer in the shape of the JDK's, with the leases behind it; see {@link
 * LockConnection#readWriteLock(String)}.
 *
 * <p>Safe for use by any number of threads, as long as the connection is open.
 */
public interface LeaseReadWriteLock extends ReadWriteLock {

    /** {@return the lock that readers take, any number of them at once} */
    @Override
    LeaseLock readLock();

    /** {@return the lock that one writer takes, alone} */
    @Override
    LeaseLock writeLock();
}
