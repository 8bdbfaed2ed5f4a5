// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ConfigProperty;
import jakarta.resource.spi.Connector;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterInternalException;
import jakarta.resource.spi.TransactionSupport.TransactionSupportLevel;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import javax.transaction.xa.XAResource;
import org.holdfast.LockException;
import org.holdfast.runtime.LockService;
import org.holdfast.runtime.LockSpaces;
import org.holdfast.runtime.Settings;
import org.holdfast.runtime.scheduling.Scheduling;
import org.holdfast.transaction.JtaTransactions;
import org.jspecify.annotations.Nullable;

/**
 * Holdfast as a resource adapter: the settings, and the life of one lock service.
 *
 * <p>A property that is not set has the default of {@link Settings}. All properties are texts, which {@link Settings}
 * reads: of a Boolean, servers make {@code false} of whatever is not {@code true}, a typing error too, and of a number
 * they report a fault without its name. The properties are annotated on fields and never on setters: some servers name
 * a setter's property with a capital letter, see it twice, and inject the default last.
 */
@Connector(
        displayName = "Holdfast",
        description = "Distributed locks on Redis",
        vendorName = "Holdfast",
        eisType = "Redis",
        transactionSupport = TransactionSupportLevel.NoTransaction)
public class HoldfastResourceAdapter implements ResourceAdapter {

    @ConfigProperty(
            description = "Independent Redis nodes, an odd number, comma separated:"
                    + " redis[s]://[[user]:password@]host[:port][/database]. Required.",
            confidential = true) // for the passwords that it may have in it
    @SuppressWarnings("unused") // see confidential
    private @Nullable String nodes;

    @ConfigProperty(description = "ACL user at nodes whose address names none. Default: the default user.")
    private @Nullable String user;

    @ConfigProperty(description = "Password at nodes whose address names none. Default: none.", confidential = true)
    @SuppressWarnings("unused") // see confidential
    private @Nullable String password;

    @ConfigProperty(
            description = "File that holds the password instead, read for each connection: it can be changed while"
                    + " the adapter runs. Default: none.")
    private @Nullable String passwordFile;

    @ConfigProperty(
            description = "File with the certificates to trust at rediss:// nodes, read for each connection."
                    + " Default: the trust of the JVM.")
    private @Nullable String trustStore;

    @ConfigProperty(description = "Type of trustStore. Default: PKCS12.")
    private @Nullable String trustStoreType;

    @ConfigProperty(description = "Password of trustStore. Default: none.", confidential = true)
    @SuppressWarnings("unused") // see confidential
    private @Nullable String trustStorePassword;

    @ConfigProperty(
            description = "File with the certificate and key that we show to rediss:// nodes, read for each connection."
                    + " Default: none.")
    private @Nullable String keyStore;

    @ConfigProperty(description = "Type of keyStore. Default: PKCS12.")
    private @Nullable String keyStoreType;

    @ConfigProperty(description = "Password of keyStore and of the key in it. Default: none.", confidential = true)
    @SuppressWarnings("unused") // see confidential
    private @Nullable String keyStorePassword;

    @ConfigProperty(
            description = "Whether the certificate of a rediss:// node must be for the host that its address names."
                    + " Default: true.")
    private @Nullable String verifyHostName;

    @ConfigProperty(description = "What every key begins with. Default: holdfast.")
    private @Nullable String keyPrefix;

    @ConfigProperty(description = "TTL of leases in ms, 100 to maxLeaseTtlMillis. Default: 30000.")
    private @Nullable String ttlMillis;

    @ConfigProperty(description = "How long to wait for a lock in ms, 0 or more. Default: 10000.")
    private @Nullable String waitTimeoutMillis;

    @ConfigProperty(description = "How long to wait for one node in ms, 1 to ttlMillis / 2. Default: 200.")
    private @Nullable String nodeTimeoutMillis;

    @ConfigProperty(
            description = "The longest TTL in ms that may be asked for, 100 to a day, the same in the whole deployment."
                    + " Default: 60000.")
    private @Nullable String maxLeaseTtlMillis;

    @ConfigProperty(
            description =
                    "How long nodes remember a fencing token after its lease in ms, 1000 or more. Default: 600000.")
    private @Nullable String fenceRetentionMillis;

    @ConfigProperty(description = "Bound on the error of clock rates as a part of the TTL, 0 to 0.5. Default: 0.01.")
    private @Nullable String driftFactor;

    @ConfigProperty(
            description =
                    "What must be left of a lease in ms when its transaction commits, 0 to a day; less is renewed before."
                            + " At most half of the TTL is asked for. Default: 1000.")
    private @Nullable String commitMarginMillis;

    @ConfigProperty(
            description =
                    "How long in ms a process that waits in line and gives no sign of life keeps those behind it waiting,"
                            + " 100 to 60000. Default: 1000.")
    private @Nullable String ticketTtlMillis;

    @ConfigProperty(
            description =
                    "How long holders and open transactions may go on when the adapter is stopped, in ms, 0 to 60000. What they"
                            + " have not given back then is lost. Default: 5000.")
    private @Nullable String stopTimeoutMillis;

    @ConfigProperty(
            description = "true to look at every node at the start, and to fail where no lock could be had."
                    + " Default: false.")
    private @Nullable String checkAtStart;

    @ConfigProperty(
            description =
                    "What is done about nodes that may have forgotten locks: QUARANTINE, DEVELOPMENT (nothing, on a developer's own nodes) or OFF. Default: QUARANTINE.")
    private @Nullable String guard;

    @ConfigProperty(
            description =
                    "true if the operator vouches that no node loses an acknowledged write in a restart or failover:"
                            + " appendfsync always and no-appendfsync-on-rewrite no, or a service that is durable by design. Of a"
                            + " single node: ?durable=true in its address. Default: false.")
    private @Nullable String durable;

    @ConfigProperty(
            description = "maxLeaseTtlMillis of processes that are not restarted yet, while a change is rolled out."
                    + " Default: none.")
    private @Nullable String previousMaxLeaseTtlMillis;

    @ConfigProperty(
            description = "fenceRetentionMillis of processes that are not restarted yet, while a change is rolled out."
                    + " Default: none.")
    private @Nullable String previousFenceRetentionMillis;

    @ConfigProperty(
            description = "driftFactor of processes that are not restarted yet, while a change is rolled out."
                    + " Default: none.")
    private @Nullable String previousDriftFactor;

    @ConfigProperty(
            description = "JNDI name of the ManagedScheduledExecutorService that renews leases. Default: the server's.")
    private @Nullable String scheduler;

    /**
     * The confidential properties that are set, by name. Their fields above declare them and stay null: when something
     * fails, Open Liberty writes the fields of the adapter to {@code logs/ffdc}, and those of all objects but the
     * JDK's.
     */
    private final transient Map<String, String> confidential = new ConcurrentHashMap<>();

    private transient volatile @Nullable LockSpaces spaces;

    /** Why the last start failed; empty if it did not. */
    private transient volatile String whyNotStarted = "";

    @Override
    public void start(BootstrapContext context) throws ResourceAdapterInternalException {
        Scheduling scheduling = null;
        try {
            List<String> violations = new ArrayList<>();
            ScheduledExecutorService executor = ContainerScheduling.findExecutor(scheduler, violations);
            Settings settings = Settings.of(values(), violations);
            scheduling = new ContainerScheduling(executor, SpareThreads::newTimer, context.getWorkManager());
            spaces = new LockSpaces(
                    settings, new JtaTransactions(context.getTransactionSynchronizationRegistry()), scheduling);
            whyNotStarted = "";
        } catch (RuntimeException e) {
            if (scheduling != null) {
                scheduling.close();
            }
            whyNotStarted = ": its last start failed: " + e.getMessage();
            throw new ResourceAdapterInternalException("HF0401: Holdfast cannot start: " + e.getMessage(), e);
        }
    }

    /**
     * Stops the lock service. New requests are refused at once; holders and open transactions may go on for {@code
     * stopTimeoutMillis}, and this method waits for them. What is held then is lost, and ends with its TTL on the
     * nodes.
     */
    @Override
    public void stop() {
        LockSpaces running = spaces;
        spaces = null;
        if (running != null) {
            running.close();
        }
    }

    /** Returns the running service for a connection factory with the given settings. */
    LockService service(Settings ofFactory) throws ResourceException {
        return Optional.ofNullable(spaces)
                .flatMap(running -> running.service(ofFactory)) // which may have been stopped since
                .orElseThrow(() -> new ResourceAdapterInternalException(
                        "HF0402: the resource adapter Holdfast is not started" + whyNotStarted));
    }

    /**
     * Returns the settings of a connection factory.
     *
     * @param ofFactory those that it has of its own, by name
     * @throws ResourceAdapterInternalException naming every fault, its own or the adapter's
     */
    Settings settings(Map<String, String> ofFactory) throws ResourceAdapterInternalException {
        try {
            return Settings.of(values(), ofFactory);
        } catch (LockException e) {
            throw new ResourceAdapterInternalException("HF0403: there can be no lock connection: " + e.getMessage(), e);
        }
    }

    private Map<String, String> values() {
        return new PropertyValues()
                .with(Settings.NODES, getNodes())
                .with(Settings.USER, user)
                .with(Settings.PASSWORD, getPassword())
                .with(Settings.PASSWORD_FILE, passwordFile)
                .with(Settings.TRUST_STORE, trustStore)
                .with(Settings.TRUST_STORE + Settings.TYPE, trustStoreType)
                .with(Settings.TRUST_STORE + Settings.STORE_PASSWORD, getTrustStorePassword())
                .with(Settings.KEY_STORE, keyStore)
                .with(Settings.KEY_STORE + Settings.TYPE, keyStoreType)
                .with(Settings.KEY_STORE + Settings.STORE_PASSWORD, getKeyStorePassword())
                .with(Settings.VERIFY_HOST_NAME, verifyHostName)
                .with(Settings.KEY_PREFIX, keyPrefix)
                .with(Settings.TTL_MILLIS, ttlMillis)
                .with(Settings.WAIT_TIMEOUT_MILLIS, waitTimeoutMillis)
                .with(Settings.NODE_TIMEOUT_MILLIS, nodeTimeoutMillis)
                .with(Settings.MAX_LEASE_TTL_MILLIS, maxLeaseTtlMillis)
                .with(Settings.FENCE_RETENTION_MILLIS, fenceRetentionMillis)
                .with(Settings.DRIFT_FACTOR, driftFactor)
                .with(Settings.COMMIT_MARGIN_MILLIS, commitMarginMillis)
                .with(Settings.TICKET_TTL_MILLIS, ticketTtlMillis)
                .with(Settings.STOP_TIMEOUT_MILLIS, stopTimeoutMillis)
                .with(Settings.CHECK_AT_START, checkAtStart)
                .with(Settings.GUARD, guard)
                .with(Settings.DURABLE, durable)
                .with(Settings.PREVIOUS_MAX_LEASE_TTL_MILLIS, previousMaxLeaseTtlMillis)
                .with(Settings.PREVIOUS_FENCE_RETENTION_MILLIS, previousFenceRetentionMillis)
                .with(Settings.PREVIOUS_DRIFT_FACTOR, previousDriftFactor)
                .map();
    }

    @Override
    public void endpointActivation(MessageEndpointFactory factory, ActivationSpec spec) throws ResourceException {
        throw new NotSupportedException("HF0404: Holdfast delivers no messages: there is no endpoint to activate");
    }

    @Override
    public void endpointDeactivation(MessageEndpointFactory factory, ActivationSpec spec) {
        // none is ever activated
    }

    @Override
    public XAResource[] getXAResources(ActivationSpec[] specs) {
        return new XAResource[0]; // nothing to recover: locks end with their TTL
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HoldfastResourceAdapter that
                && values().equals(that.values())
                && namedScheduler().equals(that.namedScheduler());
    }

    /** An empty one is not set, as with all others. */
    private Optional<String> namedScheduler() {
        return Optional.ofNullable(scheduler).filter(name -> !name.isBlank());
    }

    /** The same for all: servers set properties one by one, and a hash code must not change. */
    @Override
    public int hashCode() {
        return HoldfastResourceAdapter.class.getName().hashCode();
    }

    /** Returns nothing of the settings: one of them is a password. */
    @Override
    public String toString() {
        return "Holdfast resource adapter";
    }

    private void setConfidential(String property, @Nullable String value) {
        if (value == null) {
            confidential.remove(property);
        } else {
            confidential.put(property, value);
        }
    }

    public @Nullable String getNodes() {
        return confidential.get(Settings.NODES);
    }

    public void setNodes(@Nullable String nodes) {
        setConfidential(Settings.NODES, nodes);
    }

    public @Nullable String getUser() {
        return user;
    }

    public void setUser(@Nullable String user) {
        this.user = user;
    }

    public @Nullable String getPassword() {
        return confidential.get(Settings.PASSWORD);
    }

    public void setPassword(@Nullable String password) {
        setConfidential(Settings.PASSWORD, password);
    }

    public @Nullable String getPasswordFile() {
        return passwordFile;
    }

    public void setPasswordFile(@Nullable String passwordFile) {
        this.passwordFile = passwordFile;
    }

    public @Nullable String getTrustStore() {
        return trustStore;
    }

    public void setTrustStore(@Nullable String trustStore) {
        this.trustStore = trustStore;
    }

    public @Nullable String getTrustStoreType() {
        return trustStoreType;
    }

    public void setTrustStoreType(@Nullable String trustStoreType) {
        this.trustStoreType = trustStoreType;
    }

    public @Nullable String getTrustStorePassword() {
        return confidential.get(Settings.TRUST_STORE + Settings.STORE_PASSWORD);
    }

    public void setTrustStorePassword(@Nullable String trustStorePassword) {
        setConfidential(Settings.TRUST_STORE + Settings.STORE_PASSWORD, trustStorePassword);
    }

    public @Nullable String getKeyStore() {
        return keyStore;
    }

    public void setKeyStore(@Nullable String keyStore) {
        this.keyStore = keyStore;
    }

    public @Nullable String getKeyStoreType() {
        return keyStoreType;
    }

    public void setKeyStoreType(@Nullable String keyStoreType) {
        this.keyStoreType = keyStoreType;
    }

    public @Nullable String getKeyStorePassword() {
        return confidential.get(Settings.KEY_STORE + Settings.STORE_PASSWORD);
    }

    public void setKeyStorePassword(@Nullable String keyStorePassword) {
        setConfidential(Settings.KEY_STORE + Settings.STORE_PASSWORD, keyStorePassword);
    }

    public @Nullable String getVerifyHostName() {
        return verifyHostName;
    }

    public void setVerifyHostName(@Nullable String verifyHostName) {
        this.verifyHostName = verifyHostName;
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

    public @Nullable String getNodeTimeoutMillis() {
        return nodeTimeoutMillis;
    }

    public void setNodeTimeoutMillis(@Nullable String nodeTimeoutMillis) {
        this.nodeTimeoutMillis = nodeTimeoutMillis;
    }

    public @Nullable String getMaxLeaseTtlMillis() {
        return maxLeaseTtlMillis;
    }

    public void setMaxLeaseTtlMillis(@Nullable String maxLeaseTtlMillis) {
        this.maxLeaseTtlMillis = maxLeaseTtlMillis;
    }

    public @Nullable String getFenceRetentionMillis() {
        return fenceRetentionMillis;
    }

    public void setFenceRetentionMillis(@Nullable String fenceRetentionMillis) {
        this.fenceRetentionMillis = fenceRetentionMillis;
    }

    public @Nullable String getDriftFactor() {
        return driftFactor;
    }

    public void setDriftFactor(@Nullable String driftFactor) {
        this.driftFactor = driftFactor;
    }

    public @Nullable String getCommitMarginMillis() {
        return commitMarginMillis;
    }

    public void setCommitMarginMillis(@Nullable String commitMarginMillis) {
        this.commitMarginMillis = commitMarginMillis;
    }

    public @Nullable String getTicketTtlMillis() {
        return ticketTtlMillis;
    }

    public void setTicketTtlMillis(@Nullable String ticketTtlMillis) {
        this.ticketTtlMillis = ticketTtlMillis;
    }

    public @Nullable String getStopTimeoutMillis() {
        return stopTimeoutMillis;
    }

    public void setStopTimeoutMillis(@Nullable String stopTimeoutMillis) {
        this.stopTimeoutMillis = stopTimeoutMillis;
    }

    public @Nullable String getCheckAtStart() {
        return checkAtStart;
    }

    public void setCheckAtStart(@Nullable String checkAtStart) {
        this.checkAtStart = checkAtStart;
    }

    public @Nullable String getGuard() {
        return guard;
    }

    public void setGuard(@Nullable String guard) {
        this.guard = guard;
    }

    public @Nullable String getDurable() {
        return durable;
    }

    public void setDurable(@Nullable String durable) {
        this.durable = durable;
    }

    public @Nullable String getPreviousMaxLeaseTtlMillis() {
        return previousMaxLeaseTtlMillis;
    }

    public void setPreviousMaxLeaseTtlMillis(@Nullable String previousMaxLeaseTtlMillis) {
        this.previousMaxLeaseTtlMillis = previousMaxLeaseTtlMillis;
    }

    public @Nullable String getPreviousFenceRetentionMillis() {
        return previousFenceRetentionMillis;
    }

    public void setPreviousFenceRetentionMillis(@Nullable String previousFenceRetentionMillis) {
        this.previousFenceRetentionMillis = previousFenceRetentionMillis;
    }

    public @Nullable String getPreviousDriftFactor() {
        return previousDriftFactor;
    }

    public void setPreviousDriftFactor(@Nullable String previousDriftFactor) {
        this.previousDriftFactor = previousDriftFactor;
    }

    public @Nullable String getScheduler() {
        return scheduler;
    }

    public void setScheduler(@Nullable String scheduler) {
        this.scheduler = scheduler;
    }
}
