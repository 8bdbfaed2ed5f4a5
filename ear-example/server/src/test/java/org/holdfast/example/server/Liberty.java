// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import org.awaitility.Awaitility;

/** Open Liberty: it deploys what its configuration says, and takes away what that no longer says. */
final class Liberty implements StartedServer {

    private static final long START_MINUTES = 4;
    private static final long DEPLOY_SECONDS = 120;
    private static final String CHANGE = " -> ";
    private static final Pattern FAILURE = Pattern.compile("CWWKZ000[24]E.*|CWWKZ0012I.*|J2CA8501E.*|J2CA7002E.*");

    /** What tests need and the page does not speak of. */
    private static final String TESTS = """
            <server>
              <featureManager>
                <feature>persistence-3.1</feature>
                <feature>jdbc-4.3</feature>
                <feature>servlet-6.0</feature>
                <feature>websocket-2.1</feature>
                <feature>mpConfig-3.1</feature>
              </featureManager>
              <config monitorInterval="200ms"/>
              <httpEndpoint id="defaultHttpEndpoint" host="localhost" httpPort="%s" httpsPort="-1"/>
              <dataSource id="DefaultDataSource" type="javax.sql.XADataSource">
                <jdbcDriver javax.sql.XADataSource="org.h2.jdbcx.JdbcDataSource">
                  <library><file name="%s"/></library>
                </jdbcDriver>
                <properties URL="jdbc:h2:mem:tests;DB_CLOSE_DELAY=-1"/>
              </dataSource>
              <transaction recoverOnStartup="false"/>
            </server>
            """;

    private final Path home = Path.of(System.getProperty("server.home"));
    private final Path user = Path.of("target", "usr").toAbsolutePath();
    private final Path server = user.resolve("servers/holdfast");
    private final Path dropins = server.resolve("configDropins/overrides");
    private final Path messages = server.resolve("logs/messages.log");
    private final Page page = new Page(System.getProperty("server.page"));
    private long read;

    @Override
    public void start() throws IOException, InterruptedException {
        Trees.delete(user);
        Files.createDirectories(dropins);
        Files.createDirectories(server.resolve("apps"));
        Files.writeString(server.resolve("server.xml"), page.text("server"));
        String h2 = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.matches(".*/h2-[^/]*\\.jar"))
                .findFirst()
                .orElseThrow();
        Files.writeString(dropins.resolve("tests.xml"), TESTS.formatted(System.getProperty("http.port"), h2));
        run("start");
    }

    private void run(String action) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(home.resolve("bin/server").toString(), action, "holdfast");
        builder.environment().put("WLP_USER_DIR", user.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("server.java"));
        builder.environment().put("JAVA_TOOL_OPTIONS", RealServers.options());
        Path log = Path.of("target", action + ".log");
        Process process =
                builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!process.waitFor(START_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroy();
            throw new IOException("server " + action + " failed, see " + log + " and " + messages);
        }
    }

    @Override
    public void deploy(Path archive) throws IOException {
        String file = archive.getFileName().toString();
        Files.copy(archive, server.resolve("apps").resolve(file), StandardCopyOption.REPLACE_EXISTING);
        read = Files.size(messages);
        Path configuration = dropins.resolve(file + ".xml");
        Files.writeString(configuration, Page.named(page.text(page.block(file)), file));
        try {
            await(file.endsWith(".rar") ? "J2CA7001I.*holdfast" : "CWWKZ000[13]I.*" + name(file));
        } catch (IOException refused) {
            Files.delete(configuration); // else the server tries again when it is restarted
            throw refused;
        }
    }

    @Override
    public void undeploy(Path archive) throws IOException {
        String file = archive.getFileName().toString();
        read = Files.size(messages);
        Files.delete(dropins.resolve(file + ".xml"));
        await(file.endsWith(".rar") ? "J2CA7009I.*holdfast" : "CWWKZ0009I.*" + name(file));
    }

    private static String name(String file) {
        return file.replaceFirst("\\.\\w+$", "");
    }

    private void await(String message) throws IOException {
        Pattern expected = Pattern.compile(message);
        String[] log = {""};
        Awaitility.await().atMost(DEPLOY_SECONDS, TimeUnit.SECONDS).until(() -> {
            byte[] all = Files.readAllBytes(messages);
            log[0] = new String(all, (int) read, all.length - (int) read, StandardCharsets.UTF_8);
            return expected.matcher(log[0]).find() || FAILURE.matcher(log[0]).find();
        });
        if (!expected.matcher(log[0]).find()) {
            throw new IOException(log[0]);
        }
    }

    @Override
    public void configureAlone(String block) {
        page.configureAlone(block);
    }

    @Override
    public void configureAlone(Map<String, String> settings) {
        String attributes = settings.entrySet().stream()
                .map(setting -> setting.getKey() + "=\"" + setting.getValue() + "\"")
                .collect(Collectors.joining(" "));
        page.configureAlone(
                "alone", text -> text.replaceFirst("nodes=\"[^\"]*\"", Matcher.quoteReplacement(attributes)));
    }

    @Override
    public void forgetAlone() {
        page.configureAlone("alone");
    }

    /**
     * @param command purgePoolContents, the one operation of a pool, and how; or a change of the configuration of
     *     what is deployed; or an action of the command server
     */
    @Override
    public String manage(String command) throws IOException {
        if (command.startsWith("server ")) {
            try {
                run(command.substring("server ".length()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return "";
        }
        return command.contains(CHANGE) ? change(command.split(CHANGE)) : purge(command);
    }

    private String change(String[] fromAndTo) throws IOException {
        try (Stream<Path> files = Files.list(dropins)) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                if (text.contains(fromAndTo[0])) {
                    Files.writeString(file, text.replace(fromAndTo[0], fromAndTo[1]));
                    return "";
                }
            }
        }
        throw new IOException("nowhere is " + fromAndTo[0]);
    }

    @Override
    public void repair() throws IOException, InterruptedException {
        if (Files.notExists(pidFile())
                || ProcessHandle.of(pid()).filter(ProcessHandle::isAlive).isEmpty()) {
            run("start");
        } else {
            run("resume");
        }
    }

    private String purge(String command) throws IOException {
        String how = command.replace("purgePoolContents ", "");
        try (JMXConnector client = ServerJvm.connect()) {
            MBeanServerConnection beans = client.getMBeanServerConnection();
            ObjectName pool = beans.queryNames(
                            new ObjectName("WebSphere:type=com.ibm.ws.jca.cm.mbean.ConnectionManagerMBean,"
                                    + "jndiName=eis/holdfast,*"),
                            null)
                    .iterator()
                    .next();
            return String.valueOf(
                    beans.invoke(pool, "purgePoolContents", new Object[] {how}, new String[] {String.class.getName()}));
        } catch (Exception e) {
            throw new IOException(command, e);
        }
    }

    private Path pidFile() {
        return user.resolve("servers/.pid/holdfast.pid");
    }

    @Override
    public long pid() {
        try {
            return Long.parseLong(Files.readString(pidFile()).trim());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Path logs() {
        return server.resolve("logs");
    }

    @Override
    public String jndiName(String factory) {
        return "eis/" + factory;
    }

    @Override
    public void close() throws IOException {
        try {
            run("stop");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
