// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

/** Somebody who takes a lock and gives it back. For one thread. */
interface Contestant extends AutoCloseable {

    String name();

    /** Takes the lock and gives it back, once. */
    void pair() throws Exception;

    @Override
    void close() throws Exception;
}
