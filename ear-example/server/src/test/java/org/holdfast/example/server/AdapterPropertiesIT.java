// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The properties of the adapter, the inherited ones too, as the server has them. The RAR stands alone. An adapter with
 * wrong values names each of them, and so each that has reached it.
 */
@ExtendWith(ArquillianExtension.class)
@Timeout(300)
class AdapterPropertiesIT {

    private static final String ADAPTER = "adapter";
    private static final List<String> FLAGS = List.of("verifyHostName", "checkAtStart", "durable");
    private static final List<String> NUMBERS = List.of(
            "waitTimeoutMillis",
            "nodeTimeoutMillis",
            "fenceRetentionMillis",
            "driftFactor",
            "commitMarginMillis",
            "ticketTtlMillis",
            "stopTimeoutMillis",
            "previousMaxLeaseTtlMillis",
            "previousFenceRetentionMillis",
            "previousDriftFactor");

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ApplicationServer server = ApplicationServer.current();
    private ServerLog log;
    private String answer;

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        return ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
    }

    /** The page sets ttlMillis and maxLeaseTtlMillis; TlsIT and SecretsIT prove the others that enter nodes. */
    @Test
    void properties_withWrongValues_haveAllReachedTheAdapter() throws Exception {
        Map<String, String> wrong = new LinkedHashMap<>();
        FLAGS.forEach(name -> wrong.put(name, "perhaps"));
        NUMBERS.forEach(name -> wrong.put(name, "some"));
        wrong.put("guard", "sometimes");
        wrong.put("release", "later");
        wrong.put("keyPrefix", "a/b");
        List<String> faults = new ArrayList<>(wrong.entrySet().stream()
                .map(property -> property.getKey() + " must be [^;]*, was '" + property.getValue() + "'")
                .toList());
        wrong.put("user", "operator");
        wrong.put("trustStore", "/none");
        wrong.put("keyStoreType", "PKCS12");
        faults.addAll(List.of("user needs a password", "trustStore is for TLS", "keyStoreType and .* need a keyStore"));

        deploy(wrong);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(reports("HF0101")).anySatisfy(report -> assertThat(faults)
                        .allSatisfy(fault -> assertThat(report).containsPattern("\\b" + fault))));
    }

    /** WildFly makes factories first, which have no use for it: there it is not among those above. */
    @Test
    void scheduler_thatIsNotThere_isReported() throws Exception {
        deploy(Map.of("scheduler", "none"));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(reports("HF0405"))
                .anySatisfy(report -> assertThat(report).contains("was 'none'")));
    }

    @Test
    @DisabledIfSystemProperty(
            named = "server",
            matches = "tomee",
            disabledReason = "it takes any name, as its page says")
    void property_thatIsMisspelt_isNamed_andRefusedByMost() throws Exception {
        deploy(Map.of("waitTimeoutMilis", "1"));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(reports("waitTimeoutMilis"))
                .anySatisfy(report -> assertThat(report).contains("waitTimeoutMilis")));
        boolean goesOn = System.getProperty("server").equals("glassfish"); // and Payara: with the default
        assertThat(answer.equals("it is deployed")).isEqualTo(goesOn);
    }

    /** Deploys the adapter with these settings, and takes away what the server keeps of it. */
    private void deploy(Map<String, String> settings) throws IOException {
        Map<String, String> all = new LinkedHashMap<>(Map.of("nodes", System.getProperty("holdfast.nodes")));
        all.putAll(settings);
        server.configureAlone(all);
        log = ServerLog.fromNow();
        answer = ApplicationServer.refusal(() -> deployer.deploy(ADAPTER), () -> deployer.undeploy(ADAPTER));
    }

    /** Returns the lines with that text in the server's log, and what the server answered to the deployment. */
    private List<String> reports(String text) throws IOException {
        return Stream.concat(log.linesWith(text).stream(), Stream.of(answer)).toList();
    }

    @AfterEach
    void forget() throws IOException {
        server.forgetAlone();
    }
}
