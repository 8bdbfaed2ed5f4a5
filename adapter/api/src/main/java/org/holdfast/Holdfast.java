// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.Map;
import java.util.ServiceLoader;

/**
 * Connects to the nodes without a container.
 *
 * <p>Inside an application server the factory comes from JNDI instead, so that its connections are pooled and its
 * threads are managed.
 */
public final class Holdfast {

    private Holdfast() {}

    /**
     * {@return a factory for locks on the given nodes, with the default of every other setting}
     *
     * <p>No connection is opened yet. The factory runs one daemon thread for renewals; close it when it is no longer
     * used.
     *
     * @param nodes addresses of an odd number of independent Redis nodes, separated by commas, each as {@code
     *     redis[s]://[[user]:password@]host[:port][/database]}; Sentinels, clusters and UNIX domain sockets have other
     *     forms
     * @throws InvalidSettingsException if the addresses are not valid; the message names each fault
     * @throws IllegalStateException if no implementation is on the class path
     */
    public static LockConnectionFactory connect(String nodes) {
        return connect(LockSettings.of(nodes));
    }

    /**
     * {@return a factory with the given settings; a setting that is absent has its default}
     *
     * @param settings the nodes, and what differs from the defaults
     * @throws InvalidSettingsException if a value is not valid; the message names each fault
     * @throws IllegalStateException if no implementation is on the class path
     */
    public static LockConnectionFactory connect(LockSettings settings) {
        return connect(settings.toMap());
    }

    /**
     * {@return a factory with the given settings, for instance from a file; a setting that is absent has its default}
     *
     * @param settings names and values, named as the configuration properties of the resource adapter; {@code nodes} is
     *     required
     * @throws InvalidSettingsException if a setting is unknown or its value is not valid; the message names each fault
     * @throws IllegalStateException if no implementation is on the class path
     */
    public static LockConnectionFactory connect(Map<String, String> settings) {
        return implementation().connect(Map.copyOf(settings));
    }

    /**
     * {@return what operators do, for a tool: it sees nodes and locks, and may take locks away}
     *
     * <p>It takes no lock, and writes nothing on the nodes but a forced release: so it cannot begin to use a node, and
     * a node that no lock service uses is reported as such. It needs the settings of the lock services: where those
     * differ that all processes must share, its nodes are refused, and the report has both.
     *
     * @param settings names and values, as for {@link #connect(Map)}
     * @throws InvalidSettingsException if a setting is unknown or its value is not valid; the message names each fault
     * @throws IllegalStateException if no implementation is on the class path
     */
    public static LockOperations operate(Map<String, String> settings) {
        return implementation().operate(Map.copyOf(settings));
    }

    /** An application server may have this API once for all: then the implementation is beside the caller only. */
    private static Provider implementation() {
        return ServiceLoader.load(Provider.class, Holdfast.class.getClassLoader())
                .findFirst()
                .or(() -> ServiceLoader.load(Provider.class).findFirst())
                .orElseThrow(() -> new IllegalStateException(
                        "no implementation of Holdfast on the class path: add holdfast-core, or, in an application"
                                + " server, take the LockConnectionFactory from JNDI"));
    }

    /** Implemented by the library, not by applications. */
    public interface Provider {

        /**
         * {@return a new factory, as {@link Holdfast#connect(Map)} describes}
         *
         * @param settings names and values
         */
        LockConnectionFactory connect(Map<String, String> settings);

        /**
         * {@return the operations, as {@link Holdfast#operate(Map)} describes}
         *
         * @param settings names and values
         */
        LockOperations operate(Map<String, String> settings);
    }
}
