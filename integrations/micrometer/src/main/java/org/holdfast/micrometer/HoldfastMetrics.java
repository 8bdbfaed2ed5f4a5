// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;

/**
 * The lock services of this JVM as meters: what they hold, how many callers wait, what was acquired, lost and refused,
 * and the state of each node.
 *
 * <p>There is one lock service for each key prefix of each adapter, or of each factory in Java SE; it is an MXBean.
 * Each meter has the tags {@code prefix} and {@code id} of its service, and those of a node {@code node}, its address
 * without user and password. No meter has the name of a lock, so there are some twenty for each service, and two for
 * each of its nodes. Services that begin later are followed, and the meters of one that stops are removed. In an
 * application server these are the services of all applications.
 *
 * <p>A scrape asks no node. Safe for use by any number of threads.
 */
public final class HoldfastMetrics implements MeterBinder, AutoCloseable {

    private final List<ServiceWatch> watches = new ArrayList<>();
    private boolean closed;

    /** Makes a binder that is bound to no registry yet. */
    public HoldfastMetrics() {}

    /**
     * Registers the meters of all lock services that there are, and from now on of those that begin, until this object
     * or the registry is closed. Several objects of this class, as two libraries of an application may make, can be
     * bound to the same registry, and one of them several times: each meter is there once, until all of these objects
     * are closed. A composite registry has its meters in each of the registries that it is made of: bind to the
     * composite or to these, and not to both, or the one that is closed first removes the meters of the other.
     *
     * @param registry receives the meters
     * @throws IllegalStateException if this object is closed
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (closed) {
            throw new IllegalStateException("these metrics are closed");
        }
        watches.removeIf(HoldfastMetrics::isEnded);
        watches.add(ServiceWatch.of(registry));
    }

    private static boolean isEnded(ServiceWatch watch) {
        if (watch.isOver()) {
            watch.close();
        }
        return watch.isOver();
    }

    /**
     * Removes the meters from each registry to which no other such object is bound, and then the listener from the
     * MBean server of the JVM. An application that is undeployed must call it, else the JVM keeps its class loader.
     * Calling it again does nothing.
     */
    @Override
    public synchronized void close() {
        closed = true;
        watches.forEach(ServiceWatch::close);
        watches.clear();
    }
}
