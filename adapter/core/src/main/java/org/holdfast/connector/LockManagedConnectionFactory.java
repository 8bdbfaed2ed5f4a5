// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.ConnectionDefinition;
import jakarta.resource.spi.ConnectionManager;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterAssociation;
import jakarta.resource.spi.TransactionSupport;
import jakarta.resource.spi.ValidatingManagedConnectionFactory;
import java.io.PrintWriter;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import javax.security.auth.Subject;
import org.holdfast.CheckReport;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.runtime.LockService;
import org.holdfast.runtime.Settings;
import org.holdfast.runtime.management.Operations;
import org.jspecify.annotations.Nullable;

/**
 * Makes managed connections for the container's pool. Has no state but the resource adapter and properties: servers
 * create many of these, some before the adapter is started.
 *
 * <p>A property that is not set has the value that the resource adapter has. A connection never depends on the caller:
 * the user as which nodes are entered is a setting of the adapter, and a {@link Subject} is ignored.
 */
@ConnectionDefinition(
        connectionFactory = LockConnectionFactory.class,
        connectionFactoryImpl = LockConnectionFactoryImpl.class,
        connection = LockConnection.class,
        connectionImpl = LockConnectionHandle.class)
public class LockManagedConnectionFactory
        implements ManagedConnectionFactory,
                ResourceAdapterAssociation,
                ValidatingManagedConnectionFactory,
                TransactionSupport {

    private static final long serialVersionUID = 1L;

    /** Those that have an id, as long as they live. */
    private static final Map<UUID, WeakReference<LockManagedConnectionFactory>> LIVING =
            Collections.synchronizedMap(new WeakHashMap<>());

    @ConfigProperty(
            description = "What every key of this factory's locks begins with: equal names below different prefixes are"
                    + " different locks. Default: the adapter's.")
    private @Nullable String keyPrefix;

    @ConfigProperty(
            description = "TTL of leases in ms, 100 to the adapter's maxLeaseTtlMillis. Default: the adapter's.")
    private @Nullable String ttlMillis;

    @ConfigProperty(description = "How long to wait for a lock in ms, 0 or more. Default: the adapter's.")
    private @Nullable String waitTimeoutMillis;

    @ConfigProperty(
            description =
                    "Whether callers wait for the nodes when they release a lease: CONFIRMED or ASYNC. Default: the"
                            + " adapter's.")
    private @Nullable String release;

    private transient @Nullable HoldfastResourceAdapter adapter;
    private transient @Nullable PrintWriter logWriter;
    private transient @Nullable UUID id;

    @Override
    public Object createConnectionFactory(ConnectionManager manager) throws ResourceException {
        HoldfastResourceAdapter associated = adapter;
        if (associated != null) { // a fault in the settings is to be seen at deployment, not at work
            settings(associated);
        }
        return new LockConnectionFactoryImpl(this, manager);
    }

    /** For use without a container. */
    @Override
    public Object createConnectionFactory() throws ResourceException {
        return createConnectionFactory(new NonManagedConnectionManager());
    }

    @Override
    public ManagedConnection createManagedConnection(@Nullable Subject subject, @Nullable ConnectionRequestInfo info)
            throws ResourceException {
        HoldfastResourceAdapter associated = associated();
        LockManagedConnection.requireNone(info);
        Settings settings = settings(associated);
        return new LockManagedConnection(associated.service(settings), settings, logWriter);
    }

    private HoldfastResourceAdapter associated() throws ResourceException {
        HoldfastResourceAdapter associated = adapter;
        if (associated == null) {
            throw new ResourceException("HF0410: no resource adapter is associated with this factory");
        }
        return associated;
    }

    private Settings settings(HoldfastResourceAdapter associated) throws ResourceException {
        return associated.settings(overrides());
    }

    /** As {@link org.holdfast.LockOperations#nodeCount()}. */
    int nodeCount() {
        try {
            return settings(associated()).nodes().size();
        } catch (ResourceException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** As {@link org.holdfast.LockConnectionFactory#validate(LockRequest)}. */
    void validate(LockRequest request) {
        HoldfastResourceAdapter associated = adapter;
        if (associated != null) {
            try {
                LockService.defaults(settings(associated)).complete(request);
            } catch (ResourceException e) {
                throw new IllegalStateException(e.getMessage(), e);
            }
        }
    }

    /** Returns what operators do with the locks of its service. */
    Operations operations() {
        return service().operations();
    }

    /** As {@link org.holdfast.LockConnectionFactory#status()}. */
    CheckReport status() {
        return service().status();
    }

    private LockService service() {
        try {
            HoldfastResourceAdapter associated = associated();
            return associated.service(settings(associated));
        } catch (ResourceException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Returns what finds this object again, see {@link #living(UUID)}. */
    synchronized UUID id() {
        if (id == null) {
            id = UUID.randomUUID();
            LIVING.put(id, new WeakReference<>(this));
        }
        return id;
    }

    /** Returns the one with that id; null if it has gone, or is of another class loader. */
    static @Nullable LockManagedConnectionFactory living(UUID id) {
        WeakReference<LockManagedConnectionFactory> known = LIVING.get(id);
        return known == null ? null : known.get();
    }

    boolean isOfARunningAdapter() {
        HoldfastResourceAdapter associated = adapter;
        return associated != null && associated.isRunning();
    }

    private Map<String, String> overrides() {
        return new PropertyValues()
                .with(Settings.KEY_PREFIX, keyPrefix)
                .with(Settings.TTL_MILLIS, ttlMillis)
                .with(Settings.WAIT_TIMEOUT_MILLIS, waitTimeoutMillis)
                .with(Settings.RELEASE, release)
                .map();
    }

    /** All managed connections of one running adapter that have the same settings are alike. */
    @Override
    @SuppressWarnings("rawtypes")
    public @Nullable ManagedConnection matchManagedConnections(
            Set candidates, @Nullable Subject subject, @Nullable ConnectionRequestInfo info) throws ResourceException {
        HoldfastResourceAdapter associated = adapter;
        if (info != null || associated == null || candidates.isEmpty()) {
            return null; // we never ask with an info: a connection for one is none of ours
        }
        Settings settings = settings(associated);
        LockService service = associated.service(settings);
        for (Object candidate : candidates) {
            if (candidate instanceof LockManagedConnection connection && connection.matches(service, settings)) {
                return connection;
            }
        }
        return null;
    }

    /** Returns those candidates that are of no use any more. A lost socket alone is replaced when it is needed. */
    @Override
    @SuppressWarnings("rawtypes")
    public Set getInvalidConnections(Set candidates) {
        Set<Object> invalid = new HashSet<>();
        for (Object candidate : candidates) {
            if (candidate instanceof LockManagedConnection connection && !connection.isUsable()) {
                invalid.add(connection);
            }
        }
        return invalid;
    }

    @Override
    public TransactionSupportLevel getTransactionSupport() {
        return TransactionSupportLevel.NoTransaction;
    }

    @Override
    public @Nullable ResourceAdapter getResourceAdapter() {
        return adapter;
    }

    @Override
    public void setResourceAdapter(ResourceAdapter resourceAdapter) throws ResourceException {
        if (!(resourceAdapter instanceof HoldfastResourceAdapter holdfast)) {
            throw new ResourceException(
                    "HF0411: the resource adapter must be a HoldfastResourceAdapter, was " + resourceAdapter);
        }
        if (adapter != null && adapter != holdfast) {
            throw new jakarta.resource.spi.IllegalStateException(
                    "HF0412: the factory has a resource adapter already, which must not change");
        }
        adapter = holdfast;
    }

    public @Nullable String getKeyPrefix() {
        return keyPrefix;
    }

    public void setKeyPrefix(@Nullable String keyPrefix) {
        this.keyPrefix = keyPrefix;
    }

    public @Nullable String getTtlMillis() {
        return ttlMillis;
    }

    public void setTtlMillis(@Nullable String ttlMillis) {
        this.ttlMillis = ttlMillis;
    }

    public @Nullable String getWaitTimeoutMillis() {
        return waitTimeoutMillis;
    }

    public void setWaitTimeoutMillis(@Nullable String waitTimeoutMillis) {
        this.waitTimeoutMillis = waitTimeoutMillis;
    }

    public @Nullable String getRelease() {
        return release;
    }

    public void setRelease(@Nullable String release) {
        this.release = release;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {
        logWriter = out;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return logWriter;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockManagedConnectionFactory that
                && overrides().equals(that.overrides())
                && Objects.equals(adapter, that.adapter);
    }

    /** The same for all: adapter and properties are set later, and a hash code must not change. */
    @Override
    public int hashCode() {
        return LockManagedConnectionFactory.class.getName().hashCode();
    }
}
