// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.holdfast.testkit.RedisServer;

/**
 * Plays the reader of {@code docs/getting-started.md}: writes the files that the page has, builds them, and asks the
 * module on each of three servers, which are unpacked. Run by {@code .ci/newcomer}.
 */
public final class Newcomer {

    private static final Pattern BLOCK = Pattern.compile(
            "(?:`(src/(?:main|test)/java/[\\w/]+\\.java)`:\\n\\n)?```(xml|java)\\n(.*?)```", Pattern.DOTALL);

    private static final Pattern SOLD =
            Pattern.compile("sold lamp under the lock stock-lamp with the token (\\d+)\\s*");

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** A domain of Payara takes ports from a base on: HTTP at 80, administration at 48. */
    private static final int PORTS = 100;

    private static final int HTTP_OFFSET = 80;
    private static final int LAST_BASE = 32_000;

    private int nextBase = 21_000;

    private final Path scratch;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private Newcomer(Path scratch) {
        this.scratch = scratch;
    }

    /** A server, by how it is begun. */
    private interface Server {
        Process start(Path home, Path war, int port, Path directory) throws Exception;

        default void stop(Path home, Path directory) throws Exception {}
    }

    public static void main(String[] mavenOptions) throws Exception {
        Path scratch = Files.createTempDirectory("newcomer");
        try {
            new Newcomer(scratch).play(List.of(mavenOptions));
        } finally {
            try (Stream<Path> files = Files.walk(scratch)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            }
        }
    }

    private void play(List<String> mavenOptions) throws Exception {
        Path project = writeProject(Files.readString(Path.of("docs", "getting-started.md")));
        List<String> build = new ArrayList<>(List.of("mvn", "-B", "-ntp", "-q"));
        build.addAll(mavenOptions);
        build.add("package");
        finish(new ProcessBuilder(build).directory(project.toFile()), "the build of the page's project");
        requireTested(project);
        try (RedisServer redis = RedisServer.start(scratch.resolve("redis"))) {
            for (Map.Entry<Path, Server> each : servers().entrySet()) {
                if (!Files.isDirectory(each.getKey())) {
                    throw new IOException(each.getKey() + " is not there: run the README's test command first");
                }
                sell(each.getKey(), each.getValue(), project.resolve("target/shop.war"), redis.uri());
            }
        }
    }

    private static void requireTested(Path project) throws IOException {
        Path report = project.resolve("target/surefire-reports/org.example.PaymentsTest.txt");
        if (!Files.exists(report) || !Files.readString(report).contains("Tests run: 1, Failures: 0, Errors: 0")) {
            throw new IOException("the unit test of the page was not run: there is no such line in " + report);
        }
        System.out.println("the unit test of a lost lease: green");
    }

    private Path writeProject(String page) throws IOException {
        Path project = Files.createDirectories(scratch.resolve("shop"));
        Matcher blocks = BLOCK.matcher(page);
        while (blocks.find()) {
            Path file = project.resolve(blocks.group(1) == null ? "pom.xml" : blocks.group(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, blocks.group(3));
        }
        return project;
    }

    private static Map<Path, Server> servers() {
        Map<Path, Server> servers = new TreeMap<>();
        servers.put(Path.of("ear-example/server/target/wildfly"), new WildFly());
        servers.put(Path.of("ear-example/servers/payara6/target/server/payara6"), new Payara());
        servers.put(Path.of("ear-example/servers/openliberty/target/server/wlp"), new Liberty());
        return servers;
    }

    private void sell(Path home, Server server, Path war, String nodes) throws Exception {
        int port = freeBase() + HTTP_OFFSET;
        Path directory = Files.createDirectories(scratch.resolve(home.getFileName().toString()));
        long started = System.nanoTime();
        System.setProperty("newcomer.nodes", nodes);
        Process process = server.start(home.toAbsolutePath(), war, port, directory);
        try {
            URI uri = URI.create("http://localhost:" + port + "/shop/sell?sku=lamp");
            long first = token(await(uri, directory));
            long second = token(http.send(get(uri), HttpResponse.BodyHandlers.ofString()).body());
            if (second <= first) {
                throw new IOException(home + ": the second token " + second + " is not larger than " + first);
            }
            System.out.println(home.getFileName() + ": two locks after "
                    + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started) + " s");
        } finally {
            server.stop(home.toAbsolutePath(), directory);
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
            process.waitFor(30, TimeUnit.SECONDS);
        }
    }

    /** Returns the first of many free ports, below those that the operating system hands out. */
    private int freeBase() throws IOException {
        for (; nextBase < LAST_BASE; nextBase += PORTS) {
            int base = nextBase;
            if (IntStream.range(base, base + PORTS).allMatch(Newcomer::isFree)) {
                nextBase += PORTS;
                return base;
            }
        }
        throw new IOException("no " + PORTS + " free ports in a row");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    private static HttpRequest get(URI uri) {
        return HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).build();
    }

    private String await(URI uri, Path directory) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String last = "";
        while (System.nanoTime() < deadline) {
            try {
                HttpResponse<String> response = http.send(get(uri), HttpResponse.BodyHandlers.ofString());
                last = response.statusCode() + ": " + response.body();
                if (response.statusCode() == 200) {
                    return response.body();
                }
            } catch (IOException e) {
                last = e.toString();
            }
            TimeUnit.MILLISECONDS.sleep(500); // another process: there is nothing to be notified by
        }
        throw new IOException(uri + " was not served: " + last + "; its log is " + log(directory));
    }

    private static String log(Path directory) throws IOException {
        Path log = directory.resolve("log");
        return Files.exists(log) ? Files.readString(log) : "missing";
    }

    private static long token(String body) throws IOException {
        Matcher sold = SOLD.matcher(body);
        if (!sold.matches()) {
            throw new IOException("expected '" + SOLD + "', was '" + body + "'");
        }
        return Long.parseLong(sold.group(1));
    }

    /** With the environment that the page has. */
    private static ProcessBuilder command(Path directory, String... line) {
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile()));
        builder.environment().put("HOLDFAST_NODES", System.getProperty("newcomer.nodes"));
        builder.environment().put("HOLDFAST_GUARD", "DEVELOPMENT");
        builder.environment().put("WLP_USER_DIR", directory.resolve("usr").toString());
        return builder;
    }

    private static void finish(ProcessBuilder builder, String what) throws Exception {
        Path output = Files.createTempFile("newcomer", ".log");
        Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        int code = process.waitFor();
        String said = Files.readString(output);
        Files.delete(output);
        if (code != 0) {
            throw new IOException(what + " ended with " + code + ": " + said);
        }
    }

    private static final class WildFly implements Server {
        @Override
        public Process start(Path home, Path war, int port, Path directory) throws Exception {
            Path base = Files.createDirectories(directory.resolve("base"));
            Path configuration = Files.createDirectories(base.resolve("configuration"));
            Path original = home.resolve("standalone/configuration");
            try (Stream<Path> files = Files.list(original)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, configuration.resolve(file.getFileName()));
                }
            }
            Path first = original.resolve("standalone_xml_history/standalone.initial.xml"); // before tests changed it
            if (Files.exists(first)) {
                Files.copy(first, configuration.resolve("standalone.xml"), StandardCopyOption.REPLACE_EXISTING);
            }
            Path deployments = Files.createDirectories(base.resolve("deployments"));
            Files.copy(war, deployments.resolve("shop.war"));
            return command(
                            directory,
                            home.resolve("bin/standalone.sh").toString(),
                            "-Djboss.server.base.dir=" + base,
                            "-Djboss.http.port=" + port,
                            "-Djboss.management.http.port=0",
                            "-Djboss.management.https.port=0")
                    .start();
        }
    }

    private static final class Payara implements Server {
        private String asadmin(Path home) {
            return home.resolve("bin/asadmin").toString();
        }

        @Override
        public Process start(Path home, Path war, int port, Path directory) throws Exception {
            String domains = directory.resolve("domains").toString();
            finish(
                    new ProcessBuilder(
                            asadmin(home), "create-domain", "--nopassword", "--domaindir", domains,
                            "--portbase", Integer.toString(port - 80), "shop"),
                    "create-domain");
            finish(command(directory, asadmin(home), "start-domain", "--domaindir", domains, "shop"), "start-domain");
            Process deployment = command(
                            directory, asadmin(home), "--port", Integer.toString(port - 80 + 48), "deploy", "--contextroot", "shop", war.toString())
                    .start();
            deployment.waitFor();
            return deployment;
        }

        @Override
        public void stop(Path home, Path directory) throws Exception {
            finish(
                    new ProcessBuilder(
                            asadmin(home), "stop-domain", "--kill", "true", "--domaindir",
                            directory.resolve("domains").toString(), "shop"),
                    "stop-domain");
        }
    }

    private static final class Liberty implements Server {
        @Override
        public Process start(Path home, Path war, int port, Path directory) throws Exception {
            Path server = Files.createDirectories(directory.resolve("usr/servers/shop"));
            Files.writeString(
                    server.resolve("server.xml"),
                    "<server><featureManager><feature>webProfile-10.0</feature></featureManager>"
                            + "<httpEndpoint id=\"defaultHttpEndpoint\" httpPort=\"" + port + "\" httpsPort=\"-1\"/></server>");
            Files.copy(war, Files.createDirectories(server.resolve("dropins")).resolve("shop.war"));
            return command(directory, home.resolve("bin/server").toString(), "run", "shop").start();
        }

        @Override
        public void stop(Path home, Path directory) throws Exception {
            command(directory, home.resolve("bin/server").toString(), "stop", "shop").start().waitFor();
        }
    }
}
