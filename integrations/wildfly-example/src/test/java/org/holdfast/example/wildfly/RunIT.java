// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.holdfast.Setting;
import org.holdfast.testkit.FreePort;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code mvn package wildfly:run}, in a project of its own with nothing but {@code holdfast-cdi} and what the page has,
 * and with one environment variable.
 */
@Timeout(400)
class RunIT {

    private static final Path PAGE = Path.of("..", "..", "docs", "servers", "wildfly.md");

    /** Also for the provisioning, and for the quarantine of a node that was started just now. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final long STOP_SECONDS = 30;

    /** The plugins are those of this build. */
    private static final String POM = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>com.example</groupId>
              <artifactId>orders</artifactId>
              <version>1</version>
              <packaging>war</packaging>
              <properties>
                <maven.compiler.release>17</maven.compiler.release>
                <maven.compiler.parameters>true</maven.compiler.parameters>
                <failOnMissingWebXml>false</failOnMissingWebXml>
                <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
              </properties>
              <dependencies>
                <dependency>
                  <groupId>org.holdfast</groupId>
                  <artifactId>holdfast-cdi</artifactId>
                  <version>%s</version>
                </dependency>
                <dependency>
                  <groupId>jakarta.platform</groupId>
                  <artifactId>jakarta.jakartaee-api</artifactId>
                  <version>10.0.0</version>
                  <scope>provided</scope>
                </dependency>
              </dependencies>
              <build>
                <finalName>orders</finalName>
                <plugins>
                  <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
                  <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.14.1</version></plugin>
                  <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.4</version></plugin>
                  <plugin><artifactId>maven-war-plugin</artifactId><version>3.4.0</version></plugin>
                  %s
                </plugins>
              </build>
            </project>
            """;

    /** What Maven Central does not have, see the page. */
    private static final String OVERRIDE = """
            <galleon-options>
              <jboss-overridden-artifacts>org.glassfish.web:jakarta.servlet.jsp.jstl:3.0.1::jar</jboss-overridden-artifacts>
            </galleon-options>
            """;

    private final Path project = Path.of("target", "run").toAbsolutePath();
    private final Path log = project.resolve("maven.log");
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final int port = FreePort.find();
    private final int managementPort = FreePort.find();

    @Test
    void packageAndRun_withOneEnvironmentVariable_answersWithTokensThatRise() throws Exception {
        write();
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis-run"))) {
            Process maven = run(redis.uri());
            try {
                await().atMost(PATIENCE).pollInterval(Duration.ofSeconds(1)).until(() -> isAnswered(maven));
                long first = Long.parseLong(sell().body());
                assertThat(Long.parseLong(sell().body())).isGreaterThan(first);
            } finally {
                stop(maven);
            }
        }
    }

    private void write() throws IOException {
        Trees.delete(project);
        Path sources = project.resolve("src/main/java/org/holdfast/example/wildfly");
        Files.createDirectories(sources.getParent());
        Trees.copy(Path.of("src/main/java/org/holdfast/example/wildfly"), sources);
        Files.writeString(
                project.resolve("pom.xml"),
                POM.formatted(
                        System.getProperty("project.version"),
                        onThePage("(?s)```xml feature-pack\\n(.*?)```").replace("</layers>", "</layers>" + OVERRIDE)));
    }

    private static String onThePage(String pattern) throws IOException {
        Matcher found = Pattern.compile(pattern).matcher(Files.readString(PAGE));
        assertThat(found.find()).as(pattern).isTrue();
        return found.group(1);
    }

    private Process run(String node) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                "-B",
                "-o", // the build of this module has brought all of it
                "-Dmaven.repo.local=" + System.getProperty("maven.repository"),
                "-Dwildfly.port=" + managementPort,
                "-Dwildfly.serverArgs=-Djboss.http.port=" + port + ",-Djboss.https.port=" + FreePort.find()
                        + ",-Djboss.management.http.port=" + managementPort));
        command.addAll(
                List.of(onThePage("```shell run\\n" + Setting.NODES.environmentVariable() + "=\\S+ mvn (.*)\\n```")
                        .split(" ")));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("HOLDFAST_"));
        builder.environment().put(Setting.NODES.environmentVariable(), node);
        return builder.start();
    }

    private boolean isAnswered(Process maven) throws Exception {
        if (!maven.isAlive()) {
            throw new IOException("Maven has ended, see " + log);
        }
        try {
            return sell().statusCode() == 200;
        } catch (ConnectException e) {
            return false; // the server is not there yet
        }
    }

    private HttpResponse<String> sell() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/orders/sell?sku=lamp"))
                .timeout(Duration.ofSeconds(60))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** As Ctrl-C does, which reaches the server too: Maven does not pass a signal on. */
    private static void stop(Process maven) throws InterruptedException {
        List<ProcessHandle> all =
                Stream.concat(maven.descendants(), Stream.of(maven.toHandle())).toList();
        all.forEach(ProcessHandle::destroy);
        if (!maven.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            all.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
