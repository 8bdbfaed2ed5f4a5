// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A factory of the application's own, from settings: for a web module that has no resource adapter and produces no
 * factory. It exists from its first use until the application ends.
 */
public final class ConfiguredFactory {

    /**
     * In holdfast-standalone, and in no adapter. An adapter has the same implementation, and some servers show that to
     * an application before they bind the adapter's factory.
     */
    static final String STANDALONE = "META-INF/holdfast-standalone";

    private static final System.Logger LOG = System.getLogger(ConfiguredFactory.class.getName());

    private final SettingSources sources;
    private final ClassLoader library;

    /** Had while the factory is opened or closed: none is opened when the application has ended. */
    private final ReentrantLock changing = new ReentrantLock();

    private volatile @Nullable LockConnectionFactory created;
    private boolean closed;

    /** @param library that of the API: it sees the implementation of a module that has its own */
    public ConfiguredFactory(SettingSources sources, ClassLoader library) {
        this.sources = sources;
        this.library = library;
    }

    /**
     * Returns the factory, opened if need be; none if no nodes are set, or the application has no holdfast-standalone.
     *
     * @throws org.holdfast.LockException if the settings are not valid, or a check at the start found no majority
     * @throws IllegalStateException if the application has ended, or has an adapter too
     */
    Optional<LockConnectionFactory> find() {
        LockConnectionFactory known = created;
        return known == null ? create() : Optional.of(known);
    }

    private Optional<LockConnectionFactory> create() {
        changing.lock();
        try {
            if (closed) {
                throw new IllegalStateException("HF0514: @Locked finds no LockConnectionFactory: the application has"
                        + " ended, and closed the one that came from its settings");
            }
            if (created == null) {
                List<String> origins = new ArrayList<>();
                Map<String, String> settings = sources.read(origins);
                if (!settings.containsKey(Setting.NODES.key()) || !isForSettings()) {
                    return Optional.empty();
                }
                AdapterClasses.beside(STANDALONE, library).ifPresent(this::requireNoneBeside);
                sources.unknown().forEach(name -> settings.put(name, "")); // refused with all else that is wrong
                created = Holdfast.connect(settings);
                report(origins);
            }
            return Optional.ofNullable(created);
        } finally {
            changing.unlock();
        }
    }

    /**
     * Refuses an application that could lock by an adapter and by settings. These may name other nodes, and which of
     * the two is found first depends on what the server binds first.
     *
     * @param adapter how it is known that there is one
     * @throws IllegalStateException if a factory from settings would be opened, were there no adapter
     */
    void requireNoneBeside(String adapter) {
        if (sources.read(new ArrayList<>()).containsKey(Setting.NODES.key()) && isForSettings()) {
            throw new IllegalStateException("HF0515: @Locked finds two LockConnectionFactories, which may lock at"
                    + " different nodes: that of a resource adapter, " + adapter + ", and one from settings, because "
                    + Setting.NODES.property() + " (" + Setting.NODES.environmentVariable()
                    + ") is set and the application has holdfast-standalone. Take holdfast-standalone out of the"
                    + " application to lock by the adapter; or produce the factory that is meant as a CDI bean");
        }
    }

    /** Else the settings may be meant for an adapter: with its classes, other nodes would be locked, or other keys. */
    private boolean isForSettings() {
        return library.getResource(STANDALONE) != null
                && ServiceLoader.load(Holdfast.Provider.class, library)
                        .findFirst()
                        .isPresent();
    }

    /**
     * Two servers that read their nodes in different places would not exclude each other. No values: some are secret.
     */
    private static void report(List<String> origins) {
        LOG.log(System.Logger.Level.INFO, "HF0513: @Locked: a factory from the settings " + String.join(", ", origins));
    }

    /** Returns what looks like a setting and is none, to be named where no nodes are set. */
    Set<String> unknownNames() {
        return sources.unknown();
    }

    void close() {
        changing.lock();
        try {
            closed = true;
            LockConnectionFactory known = created;
            created = null; // some servers keep the classes and beans of an application that has gone
            if (known != null) {
                known.close();
            }
        } finally {
            changing.unlock();
        }
    }
}
