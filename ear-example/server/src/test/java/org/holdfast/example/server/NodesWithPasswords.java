// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.holdfast.testkit.TlsFront;

/** Three nodes of one test: one wants the password, one that of a user, and one the password over TLS. */
final class NodesWithPasswords implements AutoCloseable {

    static final String PASSWORD = "s3cret-of-all";

    /** One of these is in every password, however it is encoded, and in nothing else. */
    static final List<String> SECRETS = List.of("s3cret", Certificates.PASSWORD);

    /** In an address it is percent-encoded. */
    private static final String PASSWORD_OF_ADA = "s3cret@of-ada";

    private final RedisServers servers = RedisServers.start(3);
    private final TlsFront front;
    private final Path trustStore;
    private final Path keyStore;
    private ServerSocket echo;

    /** @param directory for certificates; what is in it is deleted */
    NodesWithPasswords(Path directory) throws IOException, GeneralSecurityException {
        Trees.delete(directory);
        Certificates authority = Certificates.in(directory);
        trustStore = authority.trustStore();
        keyStore = authority.issue("client", "dns:client");
        front = TlsFront.start(servers.get(2).port(), authority.issue("nodes", "ip:127.0.0.1"), trustStore);
        for (RedisServer server : servers.all()) {
            server.command("CONFIG SET requirepass " + PASSWORD);
        }
        command(servers.get(1), "ACL SETUSER ada on >" + PASSWORD_OF_ADA + " ~* &* +@all");
    }

    private static String command(RedisServer server, String command) throws IOException {
        return server.command("AUTH " + PASSWORD + "\r\n" + command);
    }

    /** Returns host and port of each, where the one over TLS has those of its front. */
    List<String> addresses() {
        return List.of(
                "127.0.0.1:" + servers.get(0).port(),
                "127.0.0.1:" + servers.get(1).port(),
                "127.0.0.1:" + front.port());
    }

    /** Returns the addresses of all of them for an adapter that uses no TLS and has {@link #PASSWORD}. */
    String uris() {
        return servers.uris();
    }

    /** Returns what an adapter needs to use all of them, but for {@link #PASSWORD}. */
    Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(
                "nodes",
                "redis://" + addresses().get(0) + ",redis://ada:" + PASSWORD_OF_ADA.replace("@", "%40") + "@"
                        + addresses().get(1) + ",rediss://" + addresses().get(2));
        settings.put("trustStore", trustStore.toString());
        settings.put("trustStorePassword", Certificates.PASSWORD);
        settings.put("keyStore", keyStore.toString());
        settings.put("keyStorePassword", Certificates.PASSWORD);
        settings.put("nodeTimeoutMillis", "1000");
        return settings;
    }

    /** Returns whether all of them have the lock. */
    boolean areHeld(String lock) throws IOException {
        for (RedisServer server : servers.all()) {
            if (!command(server, "EXISTS holdfast:{" + lock + "}:lock").endsWith(":1\r\n")) {
                return false;
            }
        }
        return true;
    }

    /** One of them gets another password, one repeats all that it is sent, and one is gone. */
    void fail() throws IOException {
        command(
                servers.get(0),
                "CONFIG SET requirepass another\r\nCLIENT KILL TYPE pubsub\r\nCLIENT KILL TYPE normal SKIPME yes");
        servers.get(1).kill();
        echo = new ServerSocket(servers.get(1).port(), 50, InetAddress.getByName("127.0.0.1"));
        Thread repeating = new Thread(this::repeatAll, "echo");
        repeating.setDaemon(true);
        repeating.start();
        servers.get(2).kill();
    }

    /** As an error, as Redis repeats the arguments of a command that it does not know. */
    private void repeatAll() {
        byte[] bytes = new byte[8_192];
        while (!echo.isClosed()) {
            try (Socket client = echo.accept()) {
                int length = client.getInputStream().read(bytes);
                String sent = new String(bytes, 0, Math.max(0, length), StandardCharsets.UTF_8);
                client.getOutputStream()
                        .write(("-ERR unknown command, with args beginning with: " + sent.replaceAll("[\r\n]+", " ")
                                        + "\r\n")
                                .getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // the client has gone, or the test is over
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (echo != null) {
            echo.close();
        }
        front.close();
        servers.close();
    }
}
