// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import jdk.jfr.consumer.RecordingFile;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An adapter that was given a password in every place, and what can be read of its server afterwards. */
@DisabledIfSystemProperty(
        named = "server",
        matches = "tomee",
        disabledReason =
                "its settings are system properties, which JMX shows: its page says how to give passwords then")
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@Timeout(300)
class SecretsIT {

    private static final String ADAPTER = "adapter";
    private static final String APPLICATION = "application";
    private static final String RECORDING = "secrets";
    private static final String LOCK_SERVICE = "JMX org.holdfast:type=LockService,prefix=holdfast,id=1";

    /** Of the pages' leases, when {@link Page} has shortened it. */
    private static final Duration TTL = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** What GlassFish shows of its own configuration, as its files have it. */
    private static final String CONFIGURATION = "amx";

    private static final int CONTEXT = 120;

    private final Path directory = Path.of("target", "secrets").toAbsolutePath();
    private final ApplicationServer server = ApplicationServer.current();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** What can be read, by where. */
    private final Map<String, String> readable = new TreeMap<>();

    private boolean cleared;

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        return ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
    }

    @Deployment(name = APPLICATION, managed = false, testable = false)
    static WebArchive application() {
        WebArchive application =
                ShrinkWrap.create(WebArchive.class, "secrets.war").addClass(DetachedServlet.class);
        ApplicationServer.current().grantAdapter(application);
        return References.addAlone(application, "holdfast");
    }

    @ParameterizedTest
    @ValueSource(strings = {"password", "passwordFile"})
    void passwords_ofAnAdapterThatWorksAndThenFails_areNowhereToBeRead(String way) throws Exception {
        try (NodesWithPasswords nodes = new NodesWithPasswords(directory)) {
            Map<String, String> settings = nodes.settings();
            settings.put(way, way.equals("password") ? NodesWithPasswords.PASSWORD : file().toString());
            server.configureAlone(settings);
            ServerJvm.command("JFR.start", "name=" + RECORDING, "settings=profile");
            deployer.deploy(ADAPTER);
            deployer.deploy(APPLICATION);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(take("kept")).isEqualTo(200));
            await().during(TTL.plusSeconds(1)).atMost(TTL.multipliedBy(3)).until(() -> nodes.areHeld("kept"));

            nodes.fail();
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(take("refused")).isEqualTo(500);
                readLogs();
                assertThat(List.of(
                                "WRONGPASS",
                                "unknown command",
                                nodes.addresses().get(2)))
                        .allMatch(allLogs()::contains);
            });
            readThreads();
            readJmx();
            clear();
            readLogs();
            readRecording();
            assertThat(disclosed()).isEmpty();
            assertThat(isReadable("threads", "holdfast-timer-")).isTrue();
            assertThat(isReadable(LOCK_SERVICE, nodes.addresses().get(1))).isTrue();
            assertThat(isReadable("recording", "holdfast-timer-")).isTrue();
            assertThat(isReadable("recording", "org.holdfast.Acquire")).isTrue();
        }
    }

    /** Takes away what a failed test has left, or the next test fails for it. */
    @AfterEach
    void clearAfterFailure() throws IOException {
        if (!cleared) {
            clear();
        }
    }

    private void clear() throws IOException {
        cleared = true;
        deployer.undeploy(APPLICATION);
        deployer.undeploy(ADAPTER);
        server.forgetAlone();
    }

    /** Returns whether the place was searched at all. AssertJ would print all of it. */
    private boolean isReadable(String place, String known) {
        return readable.get(place).contains(known);
    }

    private Path file() throws IOException {
        return Files.writeString(directory.resolve("password-file"), NodesWithPasswords.PASSWORD + "\n");
    }

    private int take(String lock) throws IOException, InterruptedException {
        URI uri = URI.create(RealServers.http() + "/secrets/?factory=holdfast&lock=" + lock);
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(uri)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        readable.merge("responses", response.body(), String::concat);
        return response.statusCode();
    }

    private void readLogs() throws IOException {
        ServerLog.texts().forEach((file, text) -> readable.put("log " + file.getFileName(), text));
    }

    private String allLogs() {
        return readable.entrySet().stream()
                .filter(source -> source.getKey().startsWith("log "))
                .map(Map.Entry::getValue)
                .reduce("", String::concat);
    }

    private void readThreads() throws IOException, InterruptedException {
        readable.put("threads", ServerJvm.command("Thread.print", "-l"));
    }

    private void readJmx() throws Exception {
        try (JMXConnector client = ServerJvm.connect()) {
            MBeanServerConnection beans = client.getMBeanServerConnection();
            Set<ObjectName> names = beans.queryNames(null, null);
            names.removeIf(name -> name.getDomain().equals(CONFIGURATION)); // as the pages say
            for (ObjectName name : names) {
                readable.put("JMX " + name, values(beans, name).toString());
            }
        }
    }

    private static Map<String, String> values(MBeanServerConnection beans, ObjectName name) throws Exception {
        Map<String, String> values = new LinkedHashMap<>();
        try {
            for (MBeanAttributeInfo attribute : beans.getMBeanInfo(name).getAttributes()) {
                values.put(attribute.getName(), value(beans, name, attribute.getName()));
            }
        } catch (InstanceNotFoundException e) { // the server removed it since it listed it: queues come and go
            values.put("removed", e.toString());
        }
        return values;
    }

    private static String value(MBeanServerConnection beans, ObjectName name, String attribute) {
        try {
            Object value = beans.getAttribute(name, attribute);
            return value instanceof Object[] several ? Arrays.deepToString(several) : String.valueOf(value);
        } catch (Exception e) { // it cannot be read, or not from here: what is said of that can
            return e.toString();
        }
    }

    private void readRecording() throws IOException, InterruptedException {
        Path file = directory.resolve("secrets.jfr");
        ServerJvm.command("JFR.dump", "name=" + RECORDING, "filename=" + file);
        ServerJvm.command("JFR.stop", "name=" + RECORDING);
        StringBuilder events = new StringBuilder(Files.readString(file, StandardCharsets.ISO_8859_1));
        RecordingFile.readAllEvents(file).forEach(events::append);
        readable.put("recording", events.toString());
    }

    /** Returns each place with what is around the first secret in it. */
    private Map<String, String> disclosed() {
        Map<String, String> disclosed = new TreeMap<>();
        for (String secret : NodesWithPasswords.SECRETS) {
            readable.forEach((place, text) -> {
                int at = text.indexOf(secret);
                if (at >= 0) {
                    disclosed.put(
                            place, text.substring(Math.max(0, at - CONTEXT), Math.min(text.length(), at + CONTEXT)));
                }
            });
        }
        return disclosed;
    }
}
