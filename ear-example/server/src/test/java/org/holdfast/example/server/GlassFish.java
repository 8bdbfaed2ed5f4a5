// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.remote.JMXServiceURL;
import org.awaitility.core.ConditionTimeoutException;
import org.holdfast.testkit.FreePort;

/** GlassFish, and Payara, which is one by its commands: a domain of our own, and one asadmin that gets all commands. */
final class GlassFish implements StartedServer {

    private static final long START_MINUTES = 4;

    private static final Duration LOG_PATIENCE = Duration.ofSeconds(20);

    /**
     * What the numbers of messages begin with that the server itself writes when it starts. Its launcher's begin
     * otherwise.
     */
    private static final String OF_THE_SERVER = "NCLS-CORE-";

    /** The ports of the domain that is delivered, as far as they are opened. */
    private static final List<String> PORTS =
            List.of("8080", "4848", "8181", "7676", "3700", "3820", "3920", "8686", "4900", "5900");

    /** A command that makes something, and the last word of it, which is the name. */
    private static final Pattern CREATION = Pattern.compile("asadmin create-(\\S+) .* (\\S+)");

    private final Path home = Path.of(System.getProperty("server.home"));
    private final Path domains = Path.of("target", "domains").toAbsolutePath();
    private final Path domain = domains.resolve("domain1");
    private final Page page = new Page(System.getProperty("server.page"));
    private final String jmxPort = Integer.toString(FreePort.find());
    private Asadmin asadmin;

    @Override
    public void start() throws IOException, InterruptedException {
        Trees.delete(domains);
        Trees.copy(home.resolve("glassfish/domains/domain1"), domain);
        String adminPort = Integer.toString(FreePort.find());
        String xml = Files.readString(configuration());
        for (String port : PORTS) {
            String ours =
                    switch (port) {
                        case "8080" -> System.getProperty("http.port");
                        case "4848" -> adminPort;
                        case "8686" -> jmxPort;
                        default -> Integer.toString(FreePort.find());
                    };
            xml = xml.replace("\"" + port + "\"", "\"" + ours + "\"");
        }
        // The default database is not one for XA, and some tests have another resource in the transaction
        Files.writeString(
                configuration(),
                xml.replaceAll(
                        "pool-name=\"\\w+\" jndi-name=\"jdbc/__default\"",
                        "pool-name=\"__TimerPool\" jndi-name=\"jdbc/__default\""));
        startLogging();
        asadmin = new Asadmin(asadmin("--port", adminPort, "--interactive=false", "multimode", "--file", "/dev/stdin"));
    }

    private void startLogging() throws IOException, InterruptedException {
        Path log = logs().resolve("server.log");
        long written = Files.exists(log) ? Files.size(log) : 0;
        startDomain();
        if (!isLogging(log, written)) { // once in a dozen starts or so, GlassFish 7
            stop();
            startDomain();
        }
    }

    private void startDomain() throws IOException, InterruptedException {
        Process start = asadmin("start-domain", "--domaindir", domains.toString(), "domain1")
                .redirectErrorStream(true)
                .redirectOutput(Path.of("target", "start.log").toFile())
                .start();
        if (!start.waitFor(START_MINUTES, TimeUnit.MINUTES) || start.exitValue() != 0) {
            start.destroy();
            close(); // it may have been on its way
            throw new IOException(
                    "asadmin start-domain failed, see target/start.log and " + domain + "/logs/server.log");
        }
    }

    /**
     * Returns whether the server writes its log, behind what an earlier start has written. It did not in 1 of 16
     * starts of GlassFish 7: the log kept what the launcher wrote. The cause was not seen. It may be a logger of the
     * JDK that is made before the server has set its own LogManager.
     */
    private static boolean isLogging(Path log, long written) {
        try {
            await().atMost(LOG_PATIENCE)
                    .until(() ->
                            Files.readString(log, StandardCharsets.ISO_8859_1).indexOf(OF_THE_SERVER, (int) written)
                                    >= 0);
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    private ProcessBuilder asadmin(String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(
                Stream.concat(Stream.of(home.resolve("bin/asadmin").toString()), Stream.of(arguments))
                        .toList());
        builder.environment().put("JAVA_HOME", System.getProperty("server.java"));
        builder.environment().put("AS_JAVA", System.getProperty("server.java"));
        builder.environment().put("AS_START_TIMEOUT", Long.toString(TimeUnit.MINUTES.toMillis(START_MINUTES)));
        // of the server and of asadmin: the one option that all servers take
        builder.environment().put("JAVA_TOOL_OPTIONS", RealServers.options());
        return builder;
    }

    @Override
    public void deploy(Path archive) throws IOException {
        try {
            for (String line : page.lines(page.block(archive.getFileName().toString()))) {
                run(line, archive);
            }
        } catch (IOException failed) {
            removeRest(archive, failed);
            throw failed;
        }
    }

    /** Removes what was created before a command failed: tests that follow use the same names. */
    private void removeRest(Path archive, IOException failed) {
        String file = archive.getFileName().toString();
        List<String> lines = new ArrayList<>(page.lines(page.blockGone(file)));
        List<String> created = page.lines(page.block(file));
        for (int i = created.size() - 1; i >= 0; i--) {
            Matcher creation = CREATION.matcher(created.get(i));
            if (creation.matches()) {
                lines.add("delete-" + creation.group(1) + " " + creation.group(2));
            }
        }
        for (String line : lines) {
            try {
                run(line, archive);
            } catch (IOException e) {
                failed.addSuppressed(e); // most of it: it is not there
            }
        }
    }

    @Override
    public void undeploy(Path archive) throws IOException {
        for (String line : page.lines(page.blockGone(archive.getFileName().toString()))) {
            run(line, archive);
        }
    }

    /** Runs a block of the page that deploys nothing, and returns the answers. */
    List<String> run(String block) throws IOException {
        List<String> answers = new ArrayList<>();
        for (String line : page.lines(block)) {
            answers.addAll(asadmin.run(line.replaceFirst("^asadmin ", "")));
        }
        return answers;
    }

    private void run(String line, Path archive) throws IOException {
        String file = archive.getFileName().toString();
        String command = Page.named(line.replaceFirst("^asadmin ", ""), file);
        asadmin.run(command.replace(file, archive.toString()));
    }

    /** Returns where the server's own JMX connector listens. */
    JMXServiceURL jmx() throws MalformedURLException {
        return new JMXServiceURL("service:jmx:rmi:///jndi/rmi://localhost:" + jmxPort + "/jmxrmi");
    }

    @Override
    public void configureAlone(String block) {
        page.configureAlone(block);
    }

    @Override
    public void configureAlone(Map<String, String> settings) {
        String properties = settings.entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue().replace(":", "\\:"))
                .collect(Collectors.joining(":"));
        page.configureAlone(
                "alone", text -> text.replaceFirst("nodes=.*?(?=:ttl)", Matcher.quoteReplacement(properties)));
    }

    /** Has it configured as that block of the page says, with changes. */
    void configureAlone(String block, UnaryOperator<String> change) {
        page.configureAlone(block, change);
    }

    @Override
    public String manage(String command) throws IOException {
        String local = command.endsWith("-domain") ? " --domaindir " + domains + " domain1" : "";
        return String.join("\n", asadmin.run(command + local));
    }

    @Override
    public void repair() throws IOException, InterruptedException {
        if (Files.notExists(pidFile())
                || ProcessHandle.of(pid()).filter(ProcessHandle::isAlive).isEmpty()) {
            startLogging();
        }
    }

    @Override
    public void removeRest(String file, Exception failure) {
        removeRest(Path.of(file), new IOException(failure));
    }

    @Override
    public void forgetAlone() {
        page.configureAlone("alone");
    }

    @Override
    public long pid() {
        try {
            return Long.parseLong(Files.readString(pidFile()).trim());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path pidFile() {
        return domain.resolve("config/pid");
    }

    /** Returns the file with what the server was told. */
    Path configuration() {
        return domain.resolve("config/domain.xml");
    }

    @Override
    public Path logs() {
        return domain.resolve("logs");
    }

    @Override
    public String jndiName(String factory) {
        return "eis/" + factory;
    }

    @Override
    public void close() throws IOException {
        if (asadmin != null) {
            asadmin.close();
        }
        stop();
    }

    private void stop() {
        if (Files.exists(pidFile())) {
            ProcessHandle.of(pid()).ifPresent(process -> {
                process.destroy();
                process.onExit()
                        .orTimeout(30, TimeUnit.SECONDS)
                        .exceptionally(late -> {
                            process.destroyForcibly();
                            return process;
                        })
                        .join();
            });
        }
    }
}
