// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.spi.ConfigProperty;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.holdfast.runtime.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Properties of the adapter that say which nodes there are and how to enter them; and where the values of all are kept.
 *
 * <p>A property that is not set has the default of {@link Settings}. All properties are texts, which {@link Settings}
 * reads: of a Boolean, servers make {@code false} of whatever is not {@code true}, a typing error too, and of a number
 * they report a fault without its name.
 *
 * <p>A field with {@code @ConfigProperty} declares a property, and stays null. The values are in a map: when something
 * fails, Open Liberty writes the fields of the adapter to {@code logs/ffdc}, and those of all objects but the JDK's.
 * No password may be among them.
 *
 * <p>Fields are annotated and never setters: some servers name a setter's property with a capital letter, see it twice,
 * and inject the default last. Servers find the fields of a class that the adapter extends, too. Open Liberty and
 * GlassFish make an object of each such class, to read the defaults. So it is public and not abstract, has a public
 * constructor without parameters, and has the getters of its own fields.
 */
@SuppressWarnings("unused") // see above
public class NodeAccessProperties {

    @ConfigProperty(
            description = "Independent Redis nodes, an odd number, comma separated:"
                    + " redis[s]://[[user]:password@]host[:port][/database]. Required.",
            confidential = true) // for the passwords that it may have in it
    private @Nullable String nodes;

    @ConfigProperty(description = "ACL user at nodes whose address names none. Default: the default user.")
    private @Nullable String user;

    @ConfigProperty(description = "Password at nodes whose address names none. Default: none.", confidential = true)
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
    private @Nullable String trustStorePassword;

    @ConfigProperty(
            description = "File with the certificate and key that we show to rediss:// nodes, read for each connection."
                    + " Default: none.")
    private @Nullable String keyStore;

    @ConfigProperty(description = "Type of keyStore. Default: PKCS12.")
    private @Nullable String keyStoreType;

    @ConfigProperty(description = "Password of keyStore and of the key in it. Default: none.", confidential = true)
    private @Nullable String keyStorePassword;

    @ConfigProperty(
            description = "Whether the certificate of a rediss:// node must be for the host that its address names."
                    + " Default: true.")
    private @Nullable String verifyHostName;

    private final transient Map<String, String> values = new ConcurrentHashMap<>();

    final @Nullable String get(String property) {
        return values.get(property);
    }

    final void set(String property, @Nullable String value) {
        if (value == null) {
            values.remove(property);
        } else {
            values.put(property, value);
        }
    }

    /** Returns the properties that are set, by the names that {@link Settings} has for them. */
    final Map<String, String> values() {
        PropertyValues set = new PropertyValues();
        values.forEach(set::with);
        return set.map();
    }

    public @Nullable String getNodes() {
        return get(Settings.NODES);
    }

    public void setNodes(@Nullable String nodes) {
        set(Settings.NODES, nodes);
    }

    public @Nullable String getUser() {
        return get(Settings.USER);
    }

    public void setUser(@Nullable String user) {
        set(Settings.USER, user);
    }

    public @Nullable String getPassword() {
        return get(Settings.PASSWORD);
    }

    public void setPassword(@Nullable String password) {
        set(Settings.PASSWORD, password);
    }

    public @Nullable String getPasswordFile() {
        return get(Settings.PASSWORD_FILE);
    }

    public void setPasswordFile(@Nullable String passwordFile) {
        set(Settings.PASSWORD_FILE, passwordFile);
    }

    public @Nullable String getTrustStore() {
        return get(Settings.TRUST_STORE);
    }

    public void setTrustStore(@Nullable String trustStore) {
        set(Settings.TRUST_STORE, trustStore);
    }

    public @Nullable String getTrustStoreType() {
        return get(Settings.TRUST_STORE + Settings.TYPE);
    }

    public void setTrustStoreType(@Nullable String trustStoreType) {
        set(Settings.TRUST_STORE + Settings.TYPE, trustStoreType);
    }

    public @Nullable String getTrustStorePassword() {
        return get(Settings.TRUST_STORE + Settings.STORE_PASSWORD);
    }

    public void setTrustStorePassword(@Nullable String trustStorePassword) {
        set(Settings.TRUST_STORE + Settings.STORE_PASSWORD, trustStorePassword);
    }

    public @Nullable String getKeyStore() {
        return get(Settings.KEY_STORE);
    }

    public void setKeyStore(@Nullable String keyStore) {
        set(Settings.KEY_STORE, keyStore);
    }

    public @Nullable String getKeyStoreType() {
        return get(Settings.KEY_STORE + Settings.TYPE);
    }

    public void setKeyStoreType(@Nullable String keyStoreType) {
        set(Settings.KEY_STORE + Settings.TYPE, keyStoreType);
    }

    public @Nullable String getKeyStorePassword() {
        return get(Settings.KEY_STORE + Settings.STORE_PASSWORD);
    }

    public void setKeyStorePassword(@Nullable String keyStorePassword) {
        set(Settings.KEY_STORE + Settings.STORE_PASSWORD, keyStorePassword);
    }

    public @Nullable String getVerifyHostName() {
        return get(Settings.VERIFY_HOST_NAME);
    }

    public void setVerifyHostName(@Nullable String verifyHostName) {
        set(Settings.VERIFY_HOST_NAME, verifyHostName);
    }
}
