// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The settings of a lock service, each with its type, for {@link Holdfast#connect(LockSettings)}. Immutable; each
 * method returns a changed copy.
 *
 * <pre>{@code
 * Holdfast.connect(LockSettings.of("redis://a:6379,redis://b:6379,redis://c:6379")
 *         .waitTimeout(Duration.ofSeconds(5))
 *         .passwordFile(Path.of("/run/secrets/redis")));
 * }</pre>
 *
 * <p>A method has the name of its setting; of settings in milliseconds, which are a {@link Duration} here, without that
 * unit. Fractions of a millisecond are cut off. Values are checked when the factory is opened, all of them together.
 * The page {@code docs/settings.md} has the range and the meaning of each.
 */
@CheckReturnValue
public final class LockSettings {

    private final Map<Setting, String> values;

    private LockSettings(Map<Setting, String> values) {
        this.values = Collections.unmodifiableMap(values);
    }

    /**
     * {@return settings for locks on the given nodes, with the default of every other setting}
     *
     * @param nodes the addresses, as {@link Holdfast#connect(String)} has them
     */
    public static LockSettings of(String nodes) {
        return new LockSettings(new EnumMap<>(Setting.class)).with(Setting.NODES, nodes);
    }

    private LockSettings with(Setting setting, String value) {
        Map<Setting, String> changed = new EnumMap<>(Setting.class);
        changed.putAll(values);
        changed.put(setting, Objects.requireNonNull(value, setting.key()));
        return new LockSettings(changed);
    }

    private LockSettings with(Setting setting, Path file) {
        return with(setting, Objects.requireNonNull(file, setting.key()).toString());
    }

    private LockSettings with(Setting setting, Duration time) {
        return with(setting, Long.toString(millis(Objects.requireNonNull(time, setting.key()))));
    }

    private static long millis(Duration time) {
        try {
            return time.toMillis();
        } catch (ArithmeticException e) { // longer than can be expressed, which no setting allows
            return time.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /**
     * {@return a copy with this ACL user at nodes whose address names no password} Default: the default user.
     *
     * @param name the value of {@link Setting#USER}
     */
    public LockSettings user(String name) {
        return with(Setting.USER, name);
    }

    /**
     * {@return a copy with this password at nodes whose address names none} It is in no text that Holdfast writes.
     * Default: none.
     *
     * @param password the value of {@link Setting#PASSWORD}
     */
    public LockSettings password(String password) {
        return with(Setting.PASSWORD, password);
    }

    /**
     * {@return a copy with this file that holds the password instead} It is read for each connection. Default: none.
     *
     * @param file the value of {@link Setting#PASSWORD_FILE}
     */
    public LockSettings passwordFile(Path file) {
        return with(Setting.PASSWORD_FILE, file);
    }

    /**
     * {@return a copy with this store of the certificates to trust at {@code rediss} nodes} It is read for each
     * connection. Default: the trust of the JVM.
     *
     * @param file the value of {@link Setting#TRUST_STORE}
     */
    public LockSettings trustStore(Path file) {
        return with(Setting.TRUST_STORE, file);
    }

    /**
     * {@return a copy with this type of the trust store} Default: PKCS12.
     *
     * @param type the value of {@link Setting#TRUST_STORE_TYPE}
     */
    public LockSettings trustStoreType(String type) {
        return with(Setting.TRUST_STORE_TYPE, type);
    }

    /**
     * {@return a copy with this password of the trust store} Default: none.
     *
     * @param password the value of {@link Setting#TRUST_STORE_PASSWORD}
     */
    public LockSettings trustStorePassword(String password) {
        return with(Setting.TRUST_STORE_PASSWORD, password);
    }

    /**
     * {@return a copy with this store of our certificate and key, for {@code rediss} nodes that ask for one} It is read
     * for each connection. Default: none.
     *
     * @param file the value of {@link Setting#KEY_STORE}
     */
    public LockSettings keyStore(Path file) {
        return with(Setting.KEY_STORE, file);
    }

    /**
     * {@return a copy with this type of the key store} Default: PKCS12.
     *
     * @param type the value of {@link Setting#KEY_STORE_TYPE}
     */
    public LockSettings keyStoreType(String type) {
        return with(Setting.KEY_STORE_TYPE, type);
    }

    /**
     * {@return a copy with this password of the key store and of the key in it} Default: none.
     *
     * @param password the value of {@link Setting#KEY_STORE_PASSWORD}
     */
    public LockSettings keyStorePassword(String password) {
        return with(Setting.KEY_STORE_PASSWORD, password);
    }

    /**
     * {@return a copy with a check, or none, that the certificate of a node is for its host} Default: true.
     *
     * @param verify the value of {@link Setting#VERIFY_HOST_NAME}
     */
    public LockSettings verifyHostName(boolean verify) {
        return with(Setting.VERIFY_HOST_NAME, Boolean.toString(verify));
    }

    /**
     * {@return a copy with this text before every key: 1 to 64 letters, digits or {@code :._-}} Default: {@code
     * holdfast}.
     *
     * @param prefix the value of {@link Setting#KEY_PREFIX}
     */
    public LockSettings keyPrefix(String prefix) {
        return with(Setting.KEY_PREFIX, prefix);
    }

    /**
     * {@return a copy with this time for which nodes keep the lock of a holder that has died} It ends no lease: leases
     * are renewed. Default: 30 s.
     *
     * @param time the value of {@link Setting#TTL_MILLIS}
     */
    public LockSettings ttl(Duration time) {
        return with(Setting.TTL_MILLIS, time);
    }

    /**
     * {@return a copy with this time to wait for a lock} Default: 10 s.
     *
     * @param time the value of {@link Setting#WAIT_TIMEOUT_MILLIS}
     */
    public LockSettings waitTimeout(Duration time) {
        return with(Setting.WAIT_TIMEOUT_MILLIS, time);
    }

    /**
     * {@return a copy with this time to wait for one node} Default: 200 ms.
     *
     * @param time the value of {@link Setting#NODE_TIMEOUT_MILLIS}
     */
    public LockSettings nodeTimeout(Duration time) {
        return with(Setting.NODE_TIMEOUT_MILLIS, time);
    }

    /**
     * {@return a copy with this longest TTL that may be asked for} The same in the whole deployment. A renewed lease
     * may last longer. Default: 60 s.
     *
     * @param time the value of {@link Setting#MAX_LEASE_TTL_MILLIS}
     */
    public LockSettings maxLeaseTtl(Duration time) {
        return with(Setting.MAX_LEASE_TTL_MILLIS, time);
    }

    /**
     * {@return a copy with this time for which nodes remember a token after its lease} The same in the whole
     * deployment. Default: 10 min.
     *
     * @param time the value of {@link Setting#FENCE_RETENTION_MILLIS}
     */
    public LockSettings fenceRetention(Duration time) {
        return with(Setting.FENCE_RETENTION_MILLIS, time);
    }

    /**
     * {@return a copy with this bound on the error of clock rates, as a part of the TTL, 0 to 0.5} The same in the
     * whole deployment. Default: 0.01.
     *
     * @param part the value of {@link Setting#DRIFT_FACTOR}
     */
    public LockSettings driftFactor(double part) {
        return with(Setting.DRIFT_FACTOR, Double.toString(part));
    }

    /**
     * {@return a copy with this time that must be left of a lease when its transaction commits} Default: 1 s.
     *
     * @param time the value of {@link Setting#COMMIT_MARGIN_MILLIS}
     */
    public LockSettings commitMargin(Duration time) {
        return with(Setting.COMMIT_MARGIN_MILLIS, time);
    }

    /**
     * {@return a copy with this time for which a silent waiting process keeps those behind it waiting} Default: 1 s.
     *
     * @param time the value of {@link Setting#TICKET_TTL_MILLIS}
     */
    public LockSettings ticketTtl(Duration time) {
        return with(Setting.TICKET_TTL_MILLIS, time);
    }

    /**
     * {@return a copy with this time for which a stop waits for open transactions} Default: 5 s.
     *
     * @param time the value of {@link Setting#STOP_TIMEOUT_MILLIS}
     */
    public LockSettings stopTimeout(Duration time) {
        return with(Setting.STOP_TIMEOUT_MILLIS, time);
    }

    /**
     * {@return a copy with a look, or none, at every node at the start, which fails where no majority can be used}
     * Default: false.
     *
     * @param check the value of {@link Setting#CHECK_AT_START}
     */
    public LockSettings checkAtStart(boolean check) {
        return with(Setting.CHECK_AT_START, Boolean.toString(check));
    }

    /**
     * {@return a copy with this way to treat nodes that may have forgotten locks} Default: {@link
     * GuardMode#QUARANTINE}.
     *
     * @param mode the value of {@link Setting#GUARD}
     */
    public LockSettings guard(GuardMode mode) {
        return with(Setting.GUARD, Objects.requireNonNull(mode, "guard").name());
    }

    /**
     * {@return a copy in which callers wait, or do not, for the nodes when they release a lease whose request does not
     * say} Default: {@link Release#CONFIRMED}.
     *
     * @param how the value of {@link Setting#RELEASE}: {@link Release#CONFIRMED} or {@link Release#ASYNC}
     */
    public LockSettings release(Release how) {
        return with(Setting.RELEASE, Objects.requireNonNull(how, "release").name());
    }

    /**
     * {@return a copy with the operator's word, or none, that no node loses an acknowledged write} Default: false.
     *
     * @param durable the value of {@link Setting#DURABLE}
     */
    public LockSettings durable(boolean durable) {
        return with(Setting.DURABLE, Boolean.toString(durable));
    }

    /**
     * {@return a copy with the {@link #maxLeaseTtl} of processes that are not restarted yet} Default: none.
     *
     * @param time the value of {@link Setting#PREVIOUS_MAX_LEASE_TTL_MILLIS}
     */
    public LockSettings previousMaxLeaseTtl(Duration time) {
        return with(Setting.PREVIOUS_MAX_LEASE_TTL_MILLIS, time);
    }

    /**
     * {@return a copy with the {@link #fenceRetention} of processes that are not restarted yet} Default: none.
     *
     * @param time the value of {@link Setting#PREVIOUS_FENCE_RETENTION_MILLIS}
     */
    public LockSettings previousFenceRetention(Duration time) {
        return with(Setting.PREVIOUS_FENCE_RETENTION_MILLIS, time);
    }

    /**
     * {@return a copy with the {@link #driftFactor} of processes that are not restarted yet} Default: none.
     *
     * @param part the value of {@link Setting#PREVIOUS_DRIFT_FACTOR}
     */
    public LockSettings previousDriftFactor(double part) {
        return with(Setting.PREVIOUS_DRIFT_FACTOR, Double.toString(part));
    }

    /** {@return the settings by their {@link Setting#key()}, as texts; passwords are among them} */
    public Map<String, String> toMap() {
        Map<String, String> byKey = new TreeMap<>();
        values.forEach((setting, value) -> byKey.put(setting.key(), value));
        return byKey;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LockSettings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** {@return what is set, for people: {@code ***} stands for passwords, and for addresses that may have one} */
    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(each -> each.getKey().key() + "=" + ShownValue.of(each.getKey(), each.getValue()))
                .collect(Collectors.joining(", ", "LockSettings[", "]"));
    }
}
