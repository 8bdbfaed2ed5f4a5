// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.holdfast.redis.address.FixedAddress;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * How we enter the nodes. What is in files is read anew for each connection, so that an operator can change passwords
 * and certificates while leases are held: connections that are open stay as they are.
 *
 * @param passwordFile holds the password for nodes whose address has none
 * @param trustStore the certificates to trust; empty for the trust of the JVM
 * @param keyStore what we show to nodes that ask for a certificate
 * @param verifyHostName whether a node's certificate must be for the host that its address names
 */
public record ConnectionSecurity(
        Optional<Path> passwordFile,
        Optional<StoreFile> trustStore,
        Optional<StoreFile> keyStore,
        boolean verifyHostName) {

    /** What no setting changes: no files, and the trust of the JVM. */
    public static final ConnectionSecurity DEFAULT =
            new ConnectionSecurity(Optional.empty(), Optional.empty(), Optional.empty(), true);

    /** The name of the setting, for messages. */
    public static final String PASSWORD_FILE = "passwordFile";

    private static final int LONGEST_PASSWORD = 4_096;

    /** Returns the same for servers that are not entered with the password of the nodes. */
    ConnectionSecurity withoutPasswordFile() {
        return new ConnectionSecurity(Optional.empty(), trustStore, keyStore, verifyHostName);
    }

    /** Tries to use the files; returns a sentence for each that cannot be used. */
    public List<String> faults() {
        List<String> faults = new ArrayList<>();
        passwordFile.ifPresent(path -> attempt(() -> read(path), faults));
        trustStore.ifPresent(store -> attempt(() -> store.trust(store.read()), faults));
        keyStore.ifPresent(store -> attempt(() -> store.keys(store.read()), faults));
        return faults;
    }

    private interface Reading {
        Object read() throws IOException;
    }

    private static void attempt(Reading reading, List<String> faults) {
        try {
            reading.read();
        } catch (IOException e) {
            faults.add(e.getMessage());
        }
    }

    /**
     * Returns the password for a node as it is now, or null for none.
     *
     * @throws JedisConnectionException with a {@link LocalFailureException} as its cause if it cannot be read
     */
    @Nullable
    String password(FixedAddress address) {
        if (address.password() != null || passwordFile.isEmpty()) {
            return address.password();
        }
        try {
            return read(passwordFile.get());
        } catch (IOException e) {
            throw new JedisConnectionException(LocalFailureException.of(e));
        }
    }

    private static String read(Path path) throws IOException {
        String password = new String(SecretFile.read(PASSWORD_FILE, path, LONGEST_PASSWORD), StandardCharsets.UTF_8)
                .replaceFirst("[\r\n]+\\z", ""); // editors and echo end it with one
        if (password.isEmpty()) {
            throw new IOException(PASSWORD_FILE + " '" + path + "' is empty");
        }
        return password;
    }
}
