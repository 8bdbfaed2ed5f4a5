// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The names of the settings of a lock service: a typo in a constant does not compile.
 *
 * <p>{@link LockSettings} has a method for each, with its type. The page {@code docs/settings.md} has the range and the
 * meaning of each.
 */
public enum Setting {

    /**
     * The addresses of 1, 3, 5 or 7 independent nodes, separated by commas, as {@link Holdfast#connect(String)} has
     * them.
     */
    NODES,

    /** The ACL user at nodes whose address names no password; the default user if it is not set. */
    USER,

    /** The password at nodes whose address names none. */
    PASSWORD,

    /** The path of a file that holds the password instead; read for each connection. */
    PASSWORD_FILE,

    /**
     * The path of a store with the certificates to trust at {@code rediss} nodes; the trust of the JVM if it is not
     * set.
     */
    TRUST_STORE,

    /** The type of the trust store; PKCS12 by default. */
    TRUST_STORE_TYPE,

    /** The password of the trust store. */
    TRUST_STORE_PASSWORD,

    /** The path of a store with our certificate and key, for {@code rediss} nodes that ask for one. */
    KEY_STORE,

    /** The type of the key store; PKCS12 by default. */
    KEY_STORE_TYPE,

    /** The password of the key store, and of the key in it. */
    KEY_STORE_PASSWORD,

    /** Whether the certificate of a node must be for its host; true by default. */
    VERIFY_HOST_NAME,

    /** What every key begins with: 1 to 64 letters, digits or {@code :._-}; {@code holdfast} by default. */
    KEY_PREFIX,

    /**
     * How long nodes keep the lock of a holder that has died, in milliseconds; 30000 by default. It ends no lease:
     * leases
     * are renewed.
     */
    TTL_MILLIS,

    /** How long to wait for a lock, in milliseconds; 10000 by default. */
    WAIT_TIMEOUT_MILLIS,

    /** How long to wait for one node, in milliseconds; 200 by default. */
    NODE_TIMEOUT_MILLIS,

    /**
     * The longest TTL that may be asked for, in milliseconds; 60000 by default. The same in the whole deployment. A
     * renewed lease may last longer.
     */
    MAX_LEASE_TTL_MILLIS,

    /**
     * How long nodes remember a token after its lease, in milliseconds; 600000 by default. The same in the whole
     * deployment.
     */
    FENCE_RETENTION_MILLIS,

    /**
     * The bound on the error of clock rates, as a part of the TTL, 0 to 0.5; 0.01 by default. The same in the whole
     * deployment.
     */
    DRIFT_FACTOR,

    /** What must be left of a lease when its transaction commits, in milliseconds; 1000 by default. */
    COMMIT_MARGIN_MILLIS,

    /**
     * How long a waiting process that gives no sign of life keeps those behind it waiting, in milliseconds; 1000 by
     * default.
     */
    TICKET_TTL_MILLIS,

    /** How long a stop waits for holders and open transactions, in milliseconds; 5000 by default. */
    STOP_TIMEOUT_MILLIS,

    /** Whether to look at every node at the start, and to fail where no majority can be used; false by default. */
    CHECK_AT_START,

    /** Whether callers wait for the nodes when they release a lease: CONFIRMED (the default) or ASYNC. */
    RELEASE,

    /** What is done about nodes that may have forgotten locks: QUARANTINE (the default), DEVELOPMENT or OFF. */
    GUARD,

    /** The operator's word that no node loses an acknowledged write; false by default. */
    DURABLE,

    /** {@link #MAX_LEASE_TTL_MILLIS} of processes that are not restarted yet. */
    PREVIOUS_MAX_LEASE_TTL_MILLIS,

    /** {@link #FENCE_RETENTION_MILLIS} of processes that are not restarted yet. */
    PREVIOUS_FENCE_RETENTION_MILLIS,

    /** {@link #DRIFT_FACTOR} of processes that are not restarted yet. */
    PREVIOUS_DRIFT_FACTOR;

    private final String key;

    Setting() {
        this.key = Pattern.compile("_(\\w)")
                .matcher(name().toLowerCase(Locale.ROOT))
                .replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
    }

    /**
     * {@return the name for {@link Holdfast#connect(java.util.Map)} and for the resource adapter, such as {@code
     * ttlMillis}}
     */
    public String key() {
        return key;
    }

    /** {@return the name as a configuration property or a system property, such as {@code holdfast.ttlMillis}} */
    public String property() {
        return "holdfast." + key;
    }

    /** {@return the name as an environment variable, such as {@code HOLDFAST_TTL_MILLIS}} */
    public String environmentVariable() {
        return "HOLDFAST_" + name();
    }
}
