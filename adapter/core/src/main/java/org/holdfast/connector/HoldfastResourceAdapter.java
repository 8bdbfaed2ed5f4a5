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
 * Holdfast as a resource adapter: the life of one lock service. {@link NodeAccessProperties} and {@link
 * LockServiceProperties} have its settings.
 */
@Connector(
        displayName = "Holdfast",
        description = "Distributed locks on Redis",
        vendorName = "Holdfast",
        eisType = "Redis",
        transactionSupport = TransactionSupportLevel.NoTransaction)
public class HoldfastResourceAdapter extends LockServiceProperties implements ResourceAdapter {

    @ConfigProperty(
            description = "JNDI name of the ManagedScheduledExecutorService that renews leases. Default: the server's.")
    private @Nullable String scheduler;

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

    /** Returns whether it was started, and not stopped since. */
    boolean isRunning() {
        return spaces != null;
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

    public @Nullable String getScheduler() {
        return scheduler;
    }

    public void setScheduler(@Nullable String scheduler) {
        this.scheduler = scheduler;
    }
}
