// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;

/**
 * Three Redis nodes, one WildFly, one shop: runs until it is stopped, and leaves nothing running.
 *
 * <p>Arguments: home of the server, EAR, directory for everything that is written, HTTP port.
 */
public final class Demo {

    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Path home;
    private final Path ear;
    private final Path directory;
    private final int port;
    private RedisServers redis;
    private WildFly server;
    private boolean stopped;

    private Demo(Path home, Path ear, Path directory, int port) {
        this.home = home;
        this.ear = ear;
        this.directory = directory;
        this.port = port;
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createDirectories(Path.of(arguments[2]));
        Demo demo = new Demo(Path.of(arguments[0]), Path.of(arguments[1]), directory, Integer.parseInt(arguments[3]));
        requireFree(demo.port);
        // Ctrl-C and SIGTERM both end the JVM; its hooks are the last chance to end what it has started.
        Runtime.getRuntime().addShutdownHook(new Thread(demo::stop));
        demo.start();
        awaitShop(demo.server, demo.port);
        demo.introduce();
        Thread.currentThread().join(); // until the JVM ends
    }

    /** Prints what runs, what to try with it, and how it ends. The last line shows that all is there. */
    private void introduce() {
        String shop = "http://localhost:" + port + "/shop";
        RedisServer first = redis.get(0);
        RedisServer second = redis.get(1);
        redis.all().forEach(node -> System.out.println("Redis node:   " + node.uri() + ", process " + node.pid()));
        System.out.println("WildFly:      process " + server.pid() + ", log " + server.log());
        System.out.println(
                "Try:          curl -X POST '" + shop + "/orders?sku=lamp'            sells one under the lock");
        System.out.println("              curl -X POST '" + shop + "/orders-unlocked?sku=lamp'   sells one without");
        System.out.println(
                "Then break:   kill -STOP " + first.pid() + "   one node hangs: orders go on (kill -CONT lets it go)");
        System.out.println(
                "              kill " + first.pid() + " " + second.pid() + "   no majority: orders fail, and say why");
        System.out.println("To stop:      Ctrl-C, which ends all of these processes");
        System.out.println("Holdfast demo ready: http://localhost:" + port + "/");
    }

    /** Shares its monitor with {@link #stop}, which so waits for the end of this and leaves nothing over. */
    private synchronized void start() throws IOException {
        if (!stopped) {
            redis = RedisServers.start(NODES, directory);
            server = WildFly.start(home, ear, directory, port, redis.uris());
        }
    }

    private synchronized void stop() {
        stopped = true;
        if (server != null) {
            server.close();
        }
        if (redis != null) {
            redis.close();
        }
    }

    private static void requireFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            socket.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException("port " + port + " is in use; choose another one with -Dhttp.port=", e);
        }
    }

    private static void awaitShop(WildFly server, int port) throws Exception {
        HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port + "/shop/stock/lamp?quantity=100"))
                .timeout(Duration.ofSeconds(10))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!answersOk(client, request)) {
            if (server.hasFailed() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("the server did not come up; its log is " + server.log());
            }
            TimeUnit.MILLISECONDS.sleep(200); // another process: there is nothing to be notified by
        }
    }

    private static boolean answersOk(HttpClient client, HttpRequest request) throws InterruptedException {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false;
        }
    }
}
