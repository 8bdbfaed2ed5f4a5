// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.holdfast.GuardMode;
import org.holdfast.InvalidSettingsException;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.guard.GuardPolicy;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.protocol.quorum.Timing;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.wire.ConnectionSecurity;

/**
 * The settings of a lock service, checked as a whole. The one place where settings have their names, defaults and
 * ranges.
 *
 * @param nodes an odd number of independent Redis nodes
 * @param access how to enter them
 * @param keyPrefix what every key begins with
 * @param ttl the TTL of a lease whose request does not say
 * @param waitTimeout the wait timeout of a request that does not say
 * @param maxTtl the longest TTL that a request may ask for
 * @param timing the times of the protocol
 * @param acceptedSettings what all processes of the deployment must share
 * @param release whether a caller waits for the nodes when it releases a lease whose request does not say
 * @param guard what is done about nodes that may have forgotten locks
 * @param stopTimeout how long holders and open transactions may go on when the service stops
 * @param checkAtStart whether a service starts only where locks can be had
 */
public record Settings(
        List<VoterAddress> nodes,
        ConnectionSecurity access,
        String keyPrefix,
        Duration ttl,
        Duration waitTimeout,
        Duration maxTtl,
        Timing timing,
        AcceptedSettings acceptedSettings,
        Release release,
        GuardMode guard,
        Duration stopTimeout,
        boolean checkAtStart) {

    public static final String NODES = "nodes";
    public static final String USER = "user";
    public static final String PASSWORD = "password";
    public static final String PASSWORD_FILE = ConnectionSecurity.PASSWORD_FILE;
    public static final String TRUST_STORE = "trustStore";
    public static final String KEY_STORE = "keyStore";
    public static final String VERIFY_HOST_NAME = "verifyHostName";
    public static final String KEY_PREFIX = "keyPrefix";
    public static final String TTL_MILLIS = "ttlMillis";
    public static final String WAIT_TIMEOUT_MILLIS = "waitTimeoutMillis";
    public static final String NODE_TIMEOUT_MILLIS = "nodeTimeoutMillis";
    public static final String MAX_LEASE_TTL_MILLIS = "maxLeaseTtlMillis";
    public static final String FENCE_RETENTION_MILLIS = "fenceRetentionMillis";
    public static final String DRIFT_FACTOR = "driftFactor";
    public static final String COMMIT_MARGIN_MILLIS = "commitMarginMillis";
    public static final String TICKET_TTL_MILLIS = "ticketTtlMillis";
    public static final String STOP_TIMEOUT_MILLIS = "stopTimeoutMillis";
    public static final String CHECK_AT_START = "checkAtStart";
    public static final String RELEASE = "release";
    public static final String GUARD = "guard";
    public static final String DURABLE = "durable";
    public static final String PREVIOUS_MAX_LEASE_TTL_MILLIS = "previousMaxLeaseTtlMillis";
    public static final String PREVIOUS_FENCE_RETENTION_MILLIS = "previousFenceRetentionMillis";
    public static final String PREVIOUS_DRIFT_FACTOR = "previousDriftFactor";

    /** What stands behind {@link #TRUST_STORE} and {@link #KEY_STORE} in the name of the setting that is its type. */
    public static final String TYPE = "Type";

    /**
     * What stands behind {@link #TRUST_STORE} and {@link #KEY_STORE} in the name of the setting that is its password.
     */
    public static final String STORE_PASSWORD = "Password";

    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final long LONGEST_NODE_TIMEOUT_OF_MOVING = 1_000;
    private static final long LONGEST_STOP_MILLIS = 60_000;

    /**
     * Reads settings by name, and tries to use the files that they name; what is absent or null has its default.
     *
     * @throws InvalidSettingsException naming every fault
     */
    public static Settings of(Map<String, String> values) {
        return of(values, new ArrayList<>());
    }

    /**
     * As {@link #of(Map)}.
     *
     * @param violations what is wrong already with what is no setting of a lock service; the others are added
     */
    public static Settings of(Map<String, String> values, List<String> violations) {
        Settings settings = read(values, Map.of(), violations);
        violations.addAll(settings.access().faults());
        return valid(settings, violations);
    }

    /**
     * Reads settings by name, and what a connection factory has in the place of some of them: {@link #KEY_PREFIX},
     * {@link #TTL_MILLIS}, {@link #WAIT_TIMEOUT_MILLIS}, {@link #RELEASE}. Reads no file: the adapter did when it was
     * started.
     *
     * @throws InvalidSettingsException naming every fault of both
     */
    public static Settings of(Map<String, String> values, Map<String, String> ofFactory) {
        List<String> violations = new ArrayList<>();
        return valid(read(values, ofFactory, violations), violations);
    }

    private static Settings read(Map<String, String> values, Map<String, String> ofFactory, List<String> violations) {
        return read(new SettingsReader(values, "", violations))
                .overridden(new SettingsReader(ofFactory, "the connection factory's ", violations));
    }

    private static Settings valid(Settings settings, List<String> violations) {
        if (!violations.isEmpty()) {
            throw new InvalidSettingsException(violations);
        }
        return settings;
    }

    private static Settings read(SettingsReader reader) {
        List<VoterAddress> nodes = reader.nodes();
        ConnectionSecurity access = reader.access(nodes);
        String prefix = reader.prefix("holdfast");
        AcceptedSettings acceptedSettings = reader.acceptedSettings(nodes);
        SharedSettings widest = acceptedSettings.widest();
        long maxTtl = Math.min(
                acceptedSettings.current().maxLeaseTtlMillis(),
                before(acceptedSettings).maxLeaseTtlMillis());
        long ttl = reader.millis(TTL_MILLIS, Math.min(30_000, maxTtl), LockRequest.MIN_TTL.toMillis(), maxTtl);
        long wait = reader.millis(WAIT_TIMEOUT_MILLIS, 10_000, 0, Long.MAX_VALUE);
        long longestNodeTimeout = longestNodeTimeout(nodes, ttl);
        long nodeTimeout = reader.millis(NODE_TIMEOUT_MILLIS, Math.min(200, longestNodeTimeout), 1, longestNodeTimeout);
        long commitMargin = reader.millis(COMMIT_MARGIN_MILLIS, 1_000, 0, DAY_MILLIS);
        long ticketTtl = reader.millis(TICKET_TTL_MILLIS, 1_000, 100, 60_000);
        long stopTimeout = reader.millis(STOP_TIMEOUT_MILLIS, 5_000, 0, LONGEST_STOP_MILLIS);
        Release release = reader.release(Release.CONFIRMED);
        GuardMode guard = reader.guard(nodes);
        boolean checkAtStart = reader.flag(CHECK_AT_START, false);
        reader.refuseUnknown();
        Timing timing = new Timing(
                Duration.ofMillis(nodeTimeout),
                Duration.ofMillis(widest.maxLeaseTtlMillis()),
                Duration.ofMillis(widest.fenceRetentionMillis()),
                widest.driftFactor(),
                Duration.ofMillis(commitMargin),
                Duration.ofMillis(ticketTtl),
                Duration.ofMillis(Math.min(
                                acceptedSettings.current().fenceRetentionMillis(),
                                before(acceptedSettings).fenceRetentionMillis()))
                        .dividedBy(2));
        return new Settings(
                nodes,
                access,
                prefix,
                Duration.ofMillis(ttl),
                Duration.ofMillis(wait),
                Duration.ofMillis(maxTtl),
                timing,
                acceptedSettings,
                release,
                guard,
                Duration.ofMillis(stopTimeout),
                checkAtStart);
    }

    /** Where Sentinels are asked once a second, several of their answers must come while votes count. */
    private static long longestNodeTimeout(List<VoterAddress> nodes, long ttl) {
        boolean moving = nodes.stream().anyMatch(VoterAddress::isMoving);
        return moving ? Math.min(LONGEST_NODE_TIMEOUT_OF_MOVING, ttl / 2) : ttl / 2;
    }

    private static SharedSettings before(AcceptedSettings acceptedSettings) {
        return acceptedSettings.previous().orElse(acceptedSettings.current());
    }

    /** The TTL has the bounds that it has in a request: what else depends on it is decided by the adapter's. */
    private Settings overridden(SettingsReader reader) {
        String ownPrefix = reader.prefix(keyPrefix);
        long ownTtl = reader.millis(TTL_MILLIS, ttl.toMillis(), LockRequest.MIN_TTL.toMillis(), maxTtl.toMillis());
        long ownWait = reader.millis(WAIT_TIMEOUT_MILLIS, waitTimeout.toMillis(), 0, Long.MAX_VALUE);
        Release ownRelease = reader.release(release);
        reader.refuseUnknown();
        return new Settings(
                nodes,
                access,
                ownPrefix,
                Duration.ofMillis(ownTtl),
                Duration.ofMillis(ownWait),
                maxTtl,
                timing,
                acceptedSettings,
                ownRelease,
                guard,
                stopTimeout,
                checkAtStart);
    }

    /** Returns whether nodes that may have forgotten locks lose their votes. */
    GuardPolicy guardPolicy() {
        return new GuardPolicy(guard, acceptedSettings);
    }
}
