// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/**
 * Hands out connections to the lock service.
 *
 * <p>In a container, a factory is found in JNDI ({@code @Resource}) and its connections come from the container's pool.
 * Elsewhere it comes from {@link Holdfast#connect(String)}. Safe for use by any number of threads.
 */
public interface LockConnectionFactory extends AutoCloseable {

    /**
     * Returns a connection. Close it after use, best with try-with-resources.
     *
     * <p>May block while the container's pool is exhausted, as long as the pool is configured to.
     *
     * @throws LockException if the container has no connection to give
     * @throws IllegalStateException if this factory is closed
     */
    LockConnection getConnection();

    /**
     * Releases every lease that was taken through this factory and ends its threads and sockets.
     *
     * <p>Takes 2 s at the most, even if no node answers. Calling it again does nothing. In a container the life of the
     * service belongs to the resource adapter, and this method does nothing.
     */
    @Override
    void close();
}
