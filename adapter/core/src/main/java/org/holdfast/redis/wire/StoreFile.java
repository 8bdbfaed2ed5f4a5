// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.UnrecoverableKeyException;
import java.util.Collections;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A key store in a file, as a setting names it. What it throws says everything in its message, and has no cause.
 *
 * @param setting the setting's name; its type and password have the same with {@code Type} and {@code Password}
 *     behind it
 * @param path where it is
 * @param type as in {@link KeyStore#getInstance(String)}
 * @param password or null for none; never printed
 */
public record StoreFile(
        String setting, Path path, String type, @Nullable String password) {

    private static final int MOST_BYTES = 4 << 20;

    /** Whether an entry is of use. */
    private interface Use {
        boolean of(KeyStore store, String alias) throws KeyStoreException;
    }

    byte[] read() throws IOException {
        return SecretFile.read(setting, path, MOST_BYTES);
    }

    /** Returns managers that trust the certificates in the store. */
    TrustManager[] trust(byte[] content) throws IOException {
        KeyStore store = open(content, KeyStore::isCertificateEntry, "certificate that Java would trust");
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return factory.getTrustManagers();
        } catch (GeneralSecurityException e) {
            throw new IOException(setting + " '" + path + "' cannot be used: " + Failures.describe(e));
        }
    }

    /** Returns managers that present the certificates whose keys are in the store. */
    KeyManager[] keys(byte[] content) throws IOException {
        KeyStore store = open(content, KeyStore::isKeyEntry, "private key");
        try {
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, secret());
            return factory.getKeyManagers();
        } catch (UnrecoverableKeyException e) {
            throw new IOException(
                    setting + "Password must be the password of the private key in '" + path + "' too, and is not");
        } catch (GeneralSecurityException e) {
            throw new IOException(setting + " '" + path + "' cannot be used: " + Failures.describe(e));
        }
    }

    private KeyStore open(byte[] content, Use use, String what) throws IOException {
        KeyStore store = load(content);
        try {
            for (String alias : Collections.list(store.aliases())) {
                if (use.of(store, alias)) {
                    return store;
                }
            }
        } catch (KeyStoreException e) {
            throw new IOException(setting + " '" + path + "' cannot be used: " + Failures.describe(e));
        }
        throw new IOException(setting + " '" + path + "' holds no " + what
                + (password == null ? ", or hides it: " + setting + "Password is not set" : ""));
    }

    private KeyStore load(byte[] content) throws IOException {
        KeyStore store;
        try {
            store = KeyStore.getInstance(type);
        } catch (KeyStoreException e) {
            throw new IOException(
                    setting + "Type must be one that this JVM knows, such as PKCS12 or JKS, was '" + type + "'");
        }
        try {
            store.load(new ByteArrayInputStream(content), secret());
            return store;
        } catch (IOException | GeneralSecurityException e) {
            boolean refused = e.getCause() instanceof UnrecoverableKeyException;
            throw new IOException(
                    refused
                            ? setting + "Password does not open '" + path + "'"
                            : setting + " '" + path + "' cannot be read as " + type + ": " + Failures.describe(e));
        }
    }

    private char @Nullable [] secret() {
        return password == null ? null : password.toCharArray();
    }

    /** Returns where it is, without the password. */
    @Override
    public String toString() {
        return path + " (" + type + ")";
    }
}
