// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** An authority that issues certificates, made with the JDK's keytool. All stores are PKCS12 with {@link #PASSWORD}. */
public final class Certificates {

    /** Opens every store and key. */
    public static final String PASSWORD = "st0re-p4ss";

    private static final String AUTHORITY = "authority";
    private final Path directory;
    private final Path authority;

    private Certificates(Path directory) {
        this.directory = directory;
        this.authority = directory.resolve(AUTHORITY + ".p12");
    }

    /** Makes an authority that keeps its files in the directory. */
    public static Certificates in(Path directory) throws IOException {
        Certificates made = new Certificates(Files.createDirectories(directory));
        keytool(made.authority, AUTHORITY, "-ext", "bc:critical=ca:true", "-validity", "30");
        return made;
    }

    /** Returns a store whose owner trusts what this authority has issued. */
    public Path trustStore() throws IOException, GeneralSecurityException {
        return trustStore(authority, AUTHORITY);
    }

    /** Returns a store whose owner trusts the first certificate of another store, whichever authority has issued it. */
    public Path trustStore(Path keyStore, String alias) throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(alias, open(keyStore).getCertificate(alias));
        return save(trusted, directory.resolve("trusts-" + alias + ".p12"));
    }

    /**
     * Issues a certificate.
     *
     * @param alias of the key, and name of the file
     * @param names as keytool takes them: {@code dns:localhost,ip:127.0.0.1}
     * @param options more for keytool, such as {@code -startdate -2d -validity 1}
     * @return the store that holds it, with its key
     */
    public Path issue(String alias, String names, String... options) throws IOException, GeneralSecurityException {
        Path store = directory.resolve(alias + ".p12");
        Files.copy(authority, store);
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-signer", AUTHORITY, "-ext", "san=" + names));
        keytool(store, alias, all.toArray(String[]::new));
        KeyStore own = open(store);
        own.deleteEntry(AUTHORITY);
        return save(own, store);
    }

    /** Writes what redis-server takes: {@code cert.pem}, {@code key.pem} and {@code ca.pem}. */
    public void writePem(Path keyStore, String alias, Path home) throws IOException, GeneralSecurityException {
        KeyStore store = open(keyStore);
        Key key = store.getKey(alias, PASSWORD.toCharArray());
        Files.writeString(
                home.resolve("cert.pem"),
                pem("CERTIFICATE", store.getCertificate(alias).getEncoded()));
        Files.writeString(home.resolve("key.pem"), pem("PRIVATE KEY", key.getEncoded()));
        Files.writeString(
                home.resolve("ca.pem"),
                pem("CERTIFICATE", open(authority).getCertificate(AUTHORITY).getEncoded()));
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END " + kind
                + "-----\n";
    }

    private static KeyStore open(Path path) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(path)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static Path save(KeyStore store, Path path) throws IOException, GeneralSecurityException {
        try (OutputStream out = Files.newOutputStream(path)) {
            store.store(out, PASSWORD.toCharArray());
        }
        return path;
    }

    private static void keytool(Path store, String alias, String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1", // it is over before the second compiler has paid
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-alias",
                alias,
                "-dname",
                "CN=" + alias,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1"));
        command.addAll(List.of(options));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool failed: " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while keytool worked", e);
        }
    }
}
