// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.spi.ConfigProperty;
import org.holdfast.runtime.Settings;
import org.jspecify.annotations.Nullable;

/** Properties of the adapter that say how locks are held, waited for and guarded. */
@SuppressWarnings("unused") // the fields declare, see NodeAccessProperties
public class LockServiceProperties extends NodeAccessProperties {

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
                    "Whether callers wait for the nodes when they release a lease: CONFIRMED or ASYNC (the lock is"
                            + " free a moment after that). Default: CONFIRMED.")
    private @Nullable String release;

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

    public @Nullable String getKeyPrefix() {
        return get(Settings.KEY_PREFIX);
    }

    public void setKeyPrefix(@Nullable String keyPrefix) {
        set(Settings.KEY_PREFIX, keyPrefix);
    }

    public @Nullable String getTtlMillis() {
        return get(Settings.TTL_MILLIS);
    }

    public void setTtlMillis(@Nullable String ttlMillis) {
        set(Settings.TTL_MILLIS, ttlMillis);
    }

    public @Nullable String getWaitTimeoutMillis() {
        return get(Settings.WAIT_TIMEOUT_MILLIS);
    }

    public void setWaitTimeoutMillis(@Nullable String waitTimeoutMillis) {
        set(Settings.WAIT_TIMEOUT_MILLIS, waitTimeoutMillis);
    }

    public @Nullable String getNodeTimeoutMillis() {
        return get(Settings.NODE_TIMEOUT_MILLIS);
    }

    public void setNodeTimeoutMillis(@Nullable String nodeTimeoutMillis) {
        set(Settings.NODE_TIMEOUT_MILLIS, nodeTimeoutMillis);
    }

    public @Nullable String getMaxLeaseTtlMillis() {
        return get(Settings.MAX_LEASE_TTL_MILLIS);
    }

    public void setMaxLeaseTtlMillis(@Nullable String maxLeaseTtlMillis) {
        set(Settings.MAX_LEASE_TTL_MILLIS, maxLeaseTtlMillis);
    }

    public @Nullable String getFenceRetentionMillis() {
        return get(Settings.FENCE_RETENTION_MILLIS);
    }

    public void setFenceRetentionMillis(@Nullable String fenceRetentionMillis) {
        set(Settings.FENCE_RETENTION_MILLIS, fenceRetentionMillis);
    }

    public @Nullable String getDriftFactor() {
        return get(Settings.DRIFT_FACTOR);
    }

    public void setDriftFactor(@Nullable String driftFactor) {
        set(Settings.DRIFT_FACTOR, driftFactor);
    }

    public @Nullable String getCommitMarginMillis() {
        return get(Settings.COMMIT_MARGIN_MILLIS);
    }

    public void setCommitMarginMillis(@Nullable String commitMarginMillis) {
        set(Settings.COMMIT_MARGIN_MILLIS, commitMarginMillis);
    }

    public @Nullable String getTicketTtlMillis() {
        return get(Settings.TICKET_TTL_MILLIS);
    }

    public void setTicketTtlMillis(@Nullable String ticketTtlMillis) {
        set(Settings.TICKET_TTL_MILLIS, ticketTtlMillis);
    }

    public @Nullable String getStopTimeoutMillis() {
        return get(Settings.STOP_TIMEOUT_MILLIS);
    }

    public void setStopTimeoutMillis(@Nullable String stopTimeoutMillis) {
        set(Settings.STOP_TIMEOUT_MILLIS, stopTimeoutMillis);
    }

    public @Nullable String getCheckAtStart() {
        return get(Settings.CHECK_AT_START);
    }

    public void setCheckAtStart(@Nullable String checkAtStart) {
        set(Settings.CHECK_AT_START, checkAtStart);
    }

    public @Nullable String getRelease() {
        return get(Settings.RELEASE);
    }

    public void setRelease(@Nullable String release) {
        set(Settings.RELEASE, release);
    }

    public @Nullable String getGuard() {
        return get(Settings.GUARD);
    }

    public void setGuard(@Nullable String guard) {
        set(Settings.GUARD, guard);
    }

    public @Nullable String getDurable() {
        return get(Settings.DURABLE);
    }

    public void setDurable(@Nullable String durable) {
        set(Settings.DURABLE, durable);
    }

    public @Nullable String getPreviousMaxLeaseTtlMillis() {
        return get(Settings.PREVIOUS_MAX_LEASE_TTL_MILLIS);
    }

    public void setPreviousMaxLeaseTtlMillis(@Nullable String previousMaxLeaseTtlMillis) {
        set(Settings.PREVIOUS_MAX_LEASE_TTL_MILLIS, previousMaxLeaseTtlMillis);
    }

    public @Nullable String getPreviousFenceRetentionMillis() {
        return get(Settings.PREVIOUS_FENCE_RETENTION_MILLIS);
    }

    public void setPreviousFenceRetentionMillis(@Nullable String previousFenceRetentionMillis) {
        set(Settings.PREVIOUS_FENCE_RETENTION_MILLIS, previousFenceRetentionMillis);
    }

    public @Nullable String getPreviousDriftFactor() {
        return get(Settings.PREVIOUS_DRIFT_FACTOR);
    }

    public void setPreviousDriftFactor(@Nullable String previousDriftFactor) {
        set(Settings.PREVIOUS_DRIFT_FACTOR, previousDriftFactor);
    }
}
