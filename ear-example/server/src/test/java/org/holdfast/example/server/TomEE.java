// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.awaitility.Awaitility;
import org.holdfast.LockConnectionFactory;

/** TomEE: it deploys what is in its directory, and takes away what is there no more. */
final class TomEE implements StartedServer {

    private static final long PATIENCE_SECONDS = 240;
    private static final Pattern FAILURE = Pattern.compile(
            "Failed Auto-Deployment of|Error deploying web application|startup failed due to previous errors");

    private static final String API = "holdfast-api.jar";
    private static final String SETTINGS_BEFORE = "conf/system.properties.before";

    /**
     * What tests need: executors under their standard names, threads and pooled connections that go soon after the
     * adapter whose they were, and a database that does not lock whole tables. It has the name of {@link Ledger}'s
     * field: of several that have other names the server takes any, be it one whose changes are in no transaction.
     */
    private static final String TESTS = """
            openejb.autodeploy.interval = 500 ms
            openejb.environment.default = true
            holdfast.rarRA.KeepAliveTime = 1 second
            holdfast.rar.connectionMaxIdleTime = 2 seconds
            database = new://Resource?type=DataSource
            database.JdbcDriver = org.hsqldb.jdbcDriver
            database.JdbcUrl = jdbc:hsqldb:mem:tests;hsqldb.tx=mvcc
            database.UserName = sa
            """;

    private final Path home = Path.of(System.getProperty("server.home"));
    private final Path base = Path.of("target", "tomee").toAbsolutePath();
    private final Path log = base.resolve("logs/catalina.out");
    private final Page page = new Page(System.getProperty("server.page"));
    private Process process;
    private long read;

    @Override
    public void start() throws IOException {
        Trees.delete(base);
        for (String directory : List.of("apps", "bin", "lib", "logs", "temp", "webapps", "work")) {
            Files.createDirectories(base.resolve(directory));
        }
        Files.copy(home.resolve("bin/tomcat-juli.jar"), base.resolve("bin/tomcat-juli.jar"));
        Path conf = base.resolve("conf");
        Trees.copy(home.resolve("conf"), conf);
        Files.writeString(
                conf.resolve("server.xml"),
                Files.readString(conf.resolve("server.xml"))
                        .replace("port=\"8080\"", "port=\"" + System.getProperty("http.port") + "\"")
                        .replace("port=\"8005\"", "port=\"-1\"")
                        .replace("<Engine ", "<Engine backgroundProcessorDelay=\"1\" "));
        Files.writeString(conf.resolve("tomee.xml"), page.text("server"));
        append("logging.properties", page.text("logging"));
        append("system.properties", page.text("settings") + page.text("settings-alone") + TESTS);
        run();
    }

    private void append(String file, String lines) throws IOException {
        Files.writeString(base.resolve("conf").resolve(file), "\n" + lines, StandardOpenOption.APPEND);
    }

    private void run() throws IOException {
        forgetUnpacked();
        ProcessBuilder builder =
                new ProcessBuilder("sh", home.resolve("bin/catalina.sh").toString(), "run");
        builder.environment().put("CATALINA_BASE", base.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("server.java"));
        builder.environment().put("CATALINA_OPTS", "-Xmx768m " + RealServers.options());
        read = Files.exists(log) ? Files.size(log) : 0;
        process = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        await("Server startup in");
    }

    /**
     * Of an application that it refused the server keeps what it has unpacked, and would deploy that when it starts.
     */
    private void forgetUnpacked() throws IOException {
        try (Stream<Path> all = Files.list(base.resolve("apps"))) {
            for (Path directory : all.filter(Files::isDirectory).toList()) {
                if (!Files.exists(directory.resolveSibling(directory.getFileName() + ".ear"))
                        && !Files.exists(directory.resolveSibling(directory.getFileName() + ".rar"))) {
                    Trees.delete(directory);
                }
            }
        }
    }

    @Override
    public void deploy(Path archive) throws IOException {
        String file = archive.getFileName().toString();
        if (file.endsWith(".rar")) {
            provideApi(archive.getParent());
        } else if (file.endsWith(".ear")) {
            withdrawApi();
        }
        read = Files.size(log);
        for (String line : page.lines(page.block(file))) {
            shell(Page.named(line, file), archive.getParent());
        }
        await(
                file.endsWith(".war")
                        ? "Deployment of web application archive .* has finished"
                        : "Deployed Application\\(");
    }

    /** The server looks for libraries when it starts. */
    private void provideApi(Path directory) throws IOException {
        URL api = LockConnectionFactory.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        Files.copy(Path.of(api.getPath()), directory.resolve(API), StandardCopyOption.REPLACE_EXISTING);
        for (String line : page.lines("api")) {
            shell(line, directory);
        }
        close();
        run();
    }

    /** An EAR brings its own. */
    private void withdrawApi() throws IOException {
        if (Files.deleteIfExists(base.resolve("lib").resolve(API))) {
            close();
            run();
        }
    }

    @Override
    public void undeploy(Path archive) throws IOException {
        String file = archive.getFileName().toString();
        read = Files.size(log);
        for (String line : page.lines(page.blockGone(file))) {
            shell(Page.named(line, file), archive.getParent());
        }
        await(file.endsWith(".war") ? "Undeploying context" : "Completed Auto-Undeployment of");
    }

    private void shell(String line, Path directory) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", line).directory(directory.toFile());
        builder.environment().put("CATALINA_BASE", base.toString());
        try {
            if (builder.inheritIO().start().waitFor() != 0) {
                throw new IOException(line + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private void await(String message) throws IOException {
        Pattern expected = Pattern.compile(message);
        String[] news = {""};
        Awaitility.await().atMost(PATIENCE_SECONDS, TimeUnit.SECONDS).until(() -> {
            byte[] all = Files.readAllBytes(log);
            news[0] = new String(all, (int) read, all.length - (int) read, StandardCharsets.UTF_8);
            return expected.matcher(news[0]).find() || FAILURE.matcher(news[0]).find() || !process.isAlive();
        });
        if (!expected.matcher(news[0]).find() || FAILURE.matcher(news[0]).find()) {
            throw new IOException(news[0]);
        }
    }

    /** The server reads settings when it starts, which {@link #provideApi} has it do for each adapter. */
    @Override
    public void configureAlone(String block) throws IOException {
        addSettings(page.text(block));
    }

    @Override
    public void configureAlone(Map<String, String> settings) throws IOException {
        addSettings(settings.entrySet().stream()
                .map(setting -> "holdfastRA." + setting.getKey() + " = " + setting.getValue() + "\n")
                .collect(Collectors.joining()));
    }

    /** @param command a setting, which the server reads when it starts; or what its web module is to do */
    @Override
    public String manage(String command) throws IOException {
        if (!command.contains("=")) {
            return reload(command);
        }
        append("system.properties", command + "\n");
        return "";
    }

    private static String reload(String operation) throws IOException {
        try (JMXConnector client = ServerJvm.connect()) {
            MBeanServerConnection beans = client.getMBeanServerConnection();
            ObjectName module = beans.queryNames(new ObjectName("Catalina:j2eeType=WebModule,*"), null).stream()
                    .findFirst()
                    .orElseThrow();
            return String.valueOf(beans.invoke(module, operation, null, null));
        } catch (Exception e) {
            throw new IOException(operation, e);
        }
    }

    @Override
    public void repair() throws IOException {
        if (!process.isAlive()) {
            run();
        }
    }

    private void addSettings(String lines) throws IOException {
        Path settings = base.resolve("conf/system.properties");
        Files.copy(settings, base.resolve(SETTINGS_BEFORE));
        append(settings.getFileName().toString(), lines);
    }

    @Override
    public void forgetAlone() throws IOException {
        Files.move(
                base.resolve(SETTINGS_BEFORE),
                base.resolve("conf/system.properties"),
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public Path logs() {
        return base.resolve("logs");
    }

    @Override
    public String jndiName(String factory) {
        return "openejb:Resource/" + factory + ".rar";
    }

    @Override
    public String jndiNameAlone(String factory) {
        return "openejb:Resource/" + factory;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit()
                .orTimeout(30, TimeUnit.SECONDS)
                .exceptionally(late -> process.destroyForcibly())
                .join();
    }
}
