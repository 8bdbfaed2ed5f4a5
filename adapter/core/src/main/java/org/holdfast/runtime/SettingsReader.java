// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.holdfast.GuardMode;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.protocol.guard.AcceptedSettings;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.address.ClusterAddress;
import org.holdfast.redis.address.FixedAddress;
import org.holdfast.redis.address.SentinelAddress;
import org.holdfast.redis.address.VoterAddress;
import org.holdfast.redis.address.VoterAddresses;
import org.holdfast.redis.wire.ConnectionSecurity;
import org.holdfast.redis.wire.StoreFile;
import org.jspecify.annotations.Nullable;

/** Takes values one by one and notes what is wrong with them. */
final class SettingsReader {

    /** Its nodes are looked at once a second, and what was not looked at for nearly so long is not trusted. */
    private static final long SHORTEST_MEMORY_OF_CLUSTER = 2_000;

    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final double MOST_DRIFT = 0.5;

    private final Map<String, String> unread;
    private final List<String> known = new ArrayList<>();
    private final String owner;
    private final List<String> violations;

    /** @param owner whose settings they are, for messages: stands before their names */
    SettingsReader(Map<String, String> values, String owner, List<String> violations) {
        this.unread = new TreeMap<>(values);
        this.owner = owner;
        this.violations = violations;
    }

    private @Nullable String take(String name) {
        known.add(name);
        return unread.remove(name);
    }

    List<VoterAddress> nodes() {
        List<VoterAddress> nodes = VoterAddresses.parse(take(Settings.NODES), Settings.NODES, violations);
        String user = take(Settings.USER);
        String password = take(Settings.PASSWORD);
        boolean inFile = unread.get(Settings.PASSWORD_FILE) != null;
        if (user != null && password == null && !inFile) {
            violations.add(Settings.USER + " needs a " + Settings.PASSWORD + " or a " + Settings.PASSWORD_FILE);
        }
        if (password != null && inFile) {
            violations.add("there must be a " + Settings.PASSWORD + " or a " + Settings.PASSWORD_FILE + ", not both");
        }
        boolean durable = flag(Settings.DURABLE, false);
        if (durable && nodes.stream().anyMatch(SentinelAddress.class::isInstance)) {
            violations.add(Settings.DURABLE + " must be false where " + Settings.NODES
                    + " has addresses of Sentinels: a failover loses what no replica has received");
        }
        return nodes.stream()
                .map(node -> node.password() == null ? node.as(user, password) : node)
                .map(node -> durable ? asDurable(node) : node)
                .toList();
    }

    private static VoterAddress asDurable(VoterAddress node) {
        if (node instanceof FixedAddress fixed) {
            return fixed.asDurable();
        }
        return node instanceof ClusterAddress cluster ? cluster.asDurable() : node;
    }

    ConnectionSecurity access(List<VoterAddress> nodes) {
        boolean tls = nodes.isEmpty() || nodes.stream().anyMatch(VoterAddress::tls); // else another fault is noted
        return new ConnectionSecurity(
                path(Settings.PASSWORD_FILE),
                store(Settings.TRUST_STORE, tls),
                store(Settings.KEY_STORE, tls),
                flag(Settings.VERIFY_HOST_NAME, true));
    }

    private Optional<StoreFile> store(String name, boolean tls) {
        String type = take(name + Settings.TYPE);
        String password = take(name + Settings.STORE_PASSWORD);
        Optional<Path> path = path(name);
        if (path.isEmpty() && (type != null || password != null)) {
            violations.add(name + Settings.TYPE + " and " + name + Settings.STORE_PASSWORD + " need a " + name);
        }
        if (path.isPresent() && !tls) {
            violations.add(name + " is for TLS, and no address in " + Settings.NODES + " begins with rediss://");
        }
        return path.map(file -> new StoreFile(name, file, type == null ? "PKCS12" : type.trim(), password));
    }

    private Optional<Path> path(String name) {
        String text = take(name);
        try {
            return Optional.ofNullable(text).map(Path::of);
        } catch (InvalidPathException e) {
            violations.add(name + " must be the path of a file, was '" + text + "'");
            return Optional.empty();
        }
    }

    boolean flag(String name, boolean byDefault) {
        String text = take(name);
        if (text == null) {
            return byDefault;
        }
        String value = text.trim().toLowerCase(Locale.ROOT);
        if (!List.of("true", "false").contains(value)) {
            violations.add(name + " must be true or false, was '" + text + "'");
            return byDefault;
        }
        return "true".equals(value);
    }

    /** What all processes must share, and what some still have while a change is rolled out. */
    AcceptedSettings acceptedSettings(List<VoterAddress> nodes) {
        boolean clustered = nodes.stream().anyMatch(ClusterAddress.class::isInstance);
        long shortest = clustered ? SHORTEST_MEMORY_OF_CLUSTER : LockRequest.MIN_TTL.toMillis();
        SharedSettings current = sharedSettings(
                shortest,
                Settings.MAX_LEASE_TTL_MILLIS,
                Settings.FENCE_RETENTION_MILLIS,
                Settings.DRIFT_FACTOR,
                new SharedSettings(60_000, 600_000, 0.01));
        SharedSettings previous = sharedSettings(
                shortest,
                Settings.PREVIOUS_MAX_LEASE_TTL_MILLIS,
                Settings.PREVIOUS_FENCE_RETENTION_MILLIS,
                Settings.PREVIOUS_DRIFT_FACTOR,
                current);
        return new AcceptedSettings(current, Optional.of(previous));
    }

    private SharedSettings sharedSettings(
            long shortest, String maxTtl, String retention, String drift, SharedSettings byDefault) {
        return new SharedSettings(
                millis(maxTtl, byDefault.maxLeaseTtlMillis(), shortest, DAY_MILLIS),
                millis(retention, byDefault.fenceRetentionMillis(), 1_000, 365 * DAY_MILLIS),
                drift(drift, byDefault.driftFactor()));
    }

    String prefix(String byDefault) {
        String prefix = take(Settings.KEY_PREFIX);
        if (prefix == null) {
            return byDefault;
        }
        if (!prefix.matches("[A-Za-z0-9:._-]{1,64}")) {
            violations.add(
                    owner + Settings.KEY_PREFIX + " must be 1 to 64 letters, digits or :._- , was '" + prefix + "'");
        }
        return prefix;
    }

    long millis(String name, long byDefault, long least, long most) {
        String text = take(name);
        if (text == null) {
            return byDefault;
        }
        try {
            long millis = Long.parseLong(text.trim());
            if (millis >= least && millis <= most) {
                return millis;
            }
        } catch (NumberFormatException e) {
            // said below, as for any other value that is not allowed
        }
        violations.add(owner + name + " must be " + least + " to " + most + " ms, was '" + text + "'");
        return byDefault;
    }

    double drift(String name, double byDefault) {
        String text = take(name);
        if (text == null) {
            return byDefault;
        }
        try {
            double drift = Double.parseDouble(text.trim());
            if (drift >= 0 && drift <= MOST_DRIFT) {
                return drift;
            }
        } catch (NumberFormatException e) {
            // said below, as for any other value that is not allowed
        }
        violations.add(name + " must be 0 to " + MOST_DRIFT + ", was '" + text + "'");
        return byDefault;
    }

    /** Without a guard the operator keeps a node away that may have forgotten locks. None keeps a promoted one away. */
    GuardMode guard(List<VoterAddress> nodes) {
        GuardMode guard = guard();
        if (guard != GuardMode.QUARANTINE && nodes.stream().anyMatch(VoterAddress::isMoving)) {
            violations.add(
                    Settings.GUARD + " must be QUARANTINE where " + Settings.NODES
                            + " has addresses of Sentinels or clusters: a replica that has become the primary may have missed locks");
        }
        return guard;
    }

    private GuardMode guard() {
        String text = take(Settings.GUARD);
        for (GuardMode mode : GuardMode.values()) {
            if (text == null || mode.name().equalsIgnoreCase(text.trim())) {
                return mode;
            }
        }
        violations.add(Settings.GUARD + " must be QUARANTINE, DEVELOPMENT or OFF, was '" + text + "'");
        return GuardMode.QUARANTINE;
    }

    Release release(Release byDefault) {
        String text = take(Settings.RELEASE);
        if (text == null) {
            return byDefault;
        }
        for (Release how : List.of(Release.CONFIRMED, Release.ASYNC)) {
            if (how.name().equalsIgnoreCase(text.trim())) {
                return how;
            }
        }
        violations.add(owner + Settings.RELEASE + " must be CONFIRMED or ASYNC, was '" + text + "'");
        return byDefault;
    }

    void refuseUnknown() {
        unread.keySet()
                .forEach(name -> violations.add("there is no setting '" + name + "'" + SimilarName.hint(name, known)));
    }
}
