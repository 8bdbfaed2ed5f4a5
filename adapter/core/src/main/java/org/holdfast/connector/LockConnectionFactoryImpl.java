// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.Referenceable;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionManager;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.WeakHashMap;
import javax.naming.Reference;
import org.holdfast.CheckReport;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockRequest;
import org.holdfast.LockState;
import org.jspecify.annotations.Nullable;

/**
 * What is bound in JNDI: asks the container's connection manager for handles.
 *
 * <p>A container writes a stateful bean that it passivates, and reads it again, with the factory in its fields. What is
 * read in the class loader of the running adapter is the factory that was written. Elsewhere it is one whose methods
 * say that it must be looked up again: to read it must not fail, for that would be the end of the bean.
 */
public final class LockConnectionFactoryImpl implements LockConnectionFactory, Serializable, Referenceable {

    private static final long serialVersionUID = 1L;

    /** Those that were written, as long as they live: each has its key itself, in {@link #written}. */
    private static final Map<UUID, WeakReference<LockConnectionFactoryImpl>> LIVING =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** The managers of those that were written, as long as they live, with their ids. */
    private static final Map<ConnectionManager, UUID> LIVING_MANAGERS =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** Null, as all fields, where what this factory belonged to has gone. */
    private final transient @Nullable LockManagedConnectionFactory factory;

    private final transient @Nullable ConnectionManager manager;
    private transient @Nullable Reference reference;

    /** What is written in the place of this factory; null until then. */
    private transient @Nullable Written written;

    LockConnectionFactoryImpl(LockManagedConnectionFactory factory, ConnectionManager manager) {
        this.factory = factory;
        this.manager = manager;
    }

    /** Of what has gone. It is written as it was: it may be read where that is. */
    private LockConnectionFactoryImpl(Written written) {
        this.factory = null;
        this.manager = null;
        this.written = written;
    }

    @Override
    public LockConnection getConnection() {
        return new LazyConnection(this::open);
    }

    private ContainerConnection open() {
        LockManagedConnectionFactory ofManager = factory();
        try {
            return (ContainerConnection) manager().allocateConnection(ofManager, null);
        } catch (ResourceException e) {
            throw new LockException("HF0409: the container gives no lock connection: " + e.getMessage(), e);
        }
    }

    private LockManagedConnectionFactory factory() {
        return present(factory);
    }

    private ConnectionManager manager() {
        return present(manager);
    }

    private static <T> T present(@Nullable T part) {
        if (part == null) {
            throw new LockException("HF0422: this factory was written and read again (as when a stateful bean is"
                    + " passivated), and what it belonged to is not here: it was written by another process, or its"
                    + " resource adapter or pool has been stopped or deployed again since. Look the factory up again");
        }
        return part;
    }

    @Override
    public int nodeCount() {
        return factory().nodeCount();
    }

    @Override
    public void validate(LockRequest request) {
        factory().validate(request);
    }

    @Override
    public CheckReport check() {
        return factory().operations().check();
    }

    @Override
    public CheckReport status() {
        return factory().status();
    }

    @Override
    public List<LockHolder> holders(LockRequest request) {
        return factory().operations().holders(request);
    }

    @Override
    public LockListing locks(int limit) {
        return factory().operations().locks(limit);
    }

    @Override
    public LockState state(LockRequest request) {
        return factory().operations().state(request);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, String reason) {
        return factory().operations().forceRelease(request, reason);
    }

    @Override
    public List<LockHolder> forceRelease(LockRequest request, long token, String reason) {
        return factory().operations().forceRelease(request, token, reason);
    }

    /** The service's life is the resource adapter's. */
    @Override
    public void close() {}

    @Override
    public void setReference(Reference newReference) {
        reference = newReference;
    }

    @Override
    public @Nullable Reference getReference() {
        return reference;
    }

    private synchronized @Nullable Object writeReplace() {
        if (written == null && factory != null && manager != null) {
            UUID id = UUID.randomUUID();
            LIVING.put(id, new WeakReference<>(this));
            UUID ofManager = LIVING_MANAGERS.computeIfAbsent(manager, unknown -> UUID.randomUUID());
            written = new Written(id, factory.id(), ofManager, canBeWritten(manager) ? manager : null);
        }
        return written;
    }

    /** The connection manager is the container's own, and not that of each container can. */
    private static boolean canBeWritten(ConnectionManager manager) {
        try (ObjectOutputStream nowhere = new ObjectOutputStream(OutputStream.nullOutputStream())) {
            nowhere.writeObject(manager);
            return true;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static @Nullable ConnectionManager livingManager(UUID id) {
        synchronized (LIVING_MANAGERS) {
            for (Map.Entry<ConnectionManager, UUID> known : LIVING_MANAGERS.entrySet()) {
                if (known.getValue().equals(id)) {
                    return known.getKey();
                }
            }
            return null;
        }
    }

    private boolean canBeUsed() {
        return factory != null && factory.isOfARunningAdapter();
    }

    /**
     * The form of a factory in a stream: which one it was, and none of its settings. No {@link Reference} either, for
     * that of a foreign stream could make a reader load any object.
     */
    private static final class Written implements Serializable {

        private static final long serialVersionUID = 1L;

        private final UUID id;
        private final UUID managed;
        private final UUID ofManager;

        /** For where that manager has gone: Payara makes one for each look-up, and keeps none. */
        private final @Nullable ConnectionManager copy;

        Written(UUID id, UUID managed, UUID ofManager, @Nullable ConnectionManager copy) {
            this.id = id;
            this.managed = managed;
            this.ofManager = ofManager;
            this.copy = copy;
        }

        private Object readResolve() {
            WeakReference<LockConnectionFactoryImpl> known = LIVING.get(id);
            LockConnectionFactoryImpl living = known == null ? null : known.get();
            if (living != null && living.canBeUsed()) {
                return living;
            }
            LockManagedConnectionFactory factory = LockManagedConnectionFactory.living(managed);
            if (factory != null && factory.isOfARunningAdapter()) {
                ConnectionManager original = livingManager(ofManager); // a copy of TomEE's has no pool
                ConnectionManager manager = original == null ? copy : original;
                if (manager != null) {
                    return new LockConnectionFactoryImpl(factory, manager);
                }
            }
            return new LockConnectionFactoryImpl(this);
        }
    }
}
