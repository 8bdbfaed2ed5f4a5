// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

/** An implementation that takes a lock and releases it. For one thread. */
interface Contestant extends AutoCloseable {

    String name();

    /** Takes the lock and releases it, once. */
    void pair() throws Exception;

    @Override
    void close() throws Exception;
}
