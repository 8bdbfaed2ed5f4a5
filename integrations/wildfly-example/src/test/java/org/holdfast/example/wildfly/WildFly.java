// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.holdfast.Setting;
import org.holdfast.testkit.FreePort;
import org.jboss.as.controller.client.ModelControllerClient;
import org.jboss.as.controller.client.helpers.Operations;
import org.jboss.dmr.ModelNode;
import org.wildfly.core.launcher.StandaloneCommandBuilder;

/** A process of the server that the build has provisioned, in a directory of its own. */
final class WildFly implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long STOP_SECONDS = 30;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Process process;
    private final Path base;
    private final Path log;
    private final int port;
    private final int managementPort;

    private WildFly(Process process, Path base, Path log, int port, int managementPort) {
        this.process = process;
        this.base = base;
        this.log = log;
        this.port = port;
        this.managementPort = managementPort;
    }

    static Map<String, String> variables(Map<Setting, String> settings) {
        Map<String, String> variables = new TreeMap<>();
        settings.forEach((setting, value) -> variables.put(setting.environmentVariable(), value));
        return variables;
    }

    /**
     * Starts the server and returns when it has started, with errors or without.
     *
     * @param name of its directory
     * @param settings the environment variables of Holdfast: those of this process are not passed on
     * @param deployments what it deploys by itself
     */
    static WildFly start(String name, Map<String, String> settings, List<Path> deployments) throws IOException {
        Path home = Path.of(System.getProperty("server.home"));
        Path directory = Path.of("target", "servers", name).toAbsolutePath();
        Path base = directory.resolve("standalone");
        Trees.delete(base);
        Trees.copy(home.resolve("standalone/configuration"), base.resolve("configuration"));
        Path scanned = Files.createDirectories(base.resolve("deployments"));
        for (Path deployment : deployments) {
            Files.copy(deployment, scanned.resolve(deployment.getFileName()));
        }
        int port = FreePort.find();
        int managementPort = FreePort.find();
        StandaloneCommandBuilder command = StandaloneCommandBuilder.of(home)
                .setBaseDirectory(base)
                .setBindAddressHint("127.0.0.1")
                .addServerArgument("-Djboss.http.port=" + port)
                .addServerArgument("-Djboss.https.port=" + FreePort.find())
                .addServerArgument("-Djboss.management.http.port=" + managementPort)
                .addServerArgument("-Djboss.management.https.port=" + FreePort.find())
                .addServerArgument("-Djava.io.tmpdir=" + Files.createDirectories(base.resolve("tmp")));
        Path log = directory.resolve("wildfly.log");
        ProcessBuilder builder =
                new ProcessBuilder(command.build()).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("HOLDFAST_"));
        builder.environment().putAll(settings);
        WildFly server = new WildFly(builder.start(), base, log, port, managementPort);
        try {
            await(name).atMost(PATIENCE).until(server::hasStarted);
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
        return server;
    }

    private boolean hasStarted() throws IOException {
        return starts() > 0;
    }

    private long starts() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("the server has ended: " + log());
        }
        return log().lines().filter(line -> line.matches(".*WFLYSRV002[56].*")).count();
    }

    /** Returns when it has started anew, in the same process. */
    void reload() throws IOException {
        long before = starts();
        execute("reload", new ModelNode().setEmptyList());
        await("reload").atMost(PATIENCE).until(() -> starts() > before);
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /** Returns its configuration as it stands in the file. */
    String configuration() throws IOException {
        return Files.readString(base.resolve("configuration/standalone.xml"));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(60))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the answer, which must be one of success. */
    String body(String path) throws IOException, InterruptedException {
        HttpResponse<String> response = get(path);
        if (response.statusCode() != 200) {
            throw new IOException(path + " was answered by " + response.statusCode() + "; why stands in " + log);
        }
        return response.body();
    }

    /** Has an application undeployed and deployed again, and returns when it was. */
    void redeploy(String name) throws IOException {
        execute("redeploy", Operations.createAddress("deployment", name));
    }

    private void execute(String operation, ModelNode address) throws IOException {
        try (ModelControllerClient client = ModelControllerClient.Factory.create("127.0.0.1", managementPort)) {
            ModelNode answer = client.execute(Operations.createOperation(operation, address));
            if (!Operations.isSuccessfulOutcome(answer)) {
                throw new IOException(operation + " was answered by " + answer);
            }
        }
    }

    /** Asks the server to stop, and ends it if it does not. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
