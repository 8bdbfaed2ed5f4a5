// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Resource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.Testable;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The adapter's events in a server: WildFly shows deployments only those modules of the JDK that they ask for. */
@ExtendWith(ArquillianExtension.class)
@Timeout(120)
class FlightRecorderIT {

    private static final String ACQUIRE = "org.holdfast.Acquire";

    @Resource(name = "eis/holdfast")
    private LockConnectionFactory locks;

    /** The test asks for the module, for itself; the RAR has to do so for its own classes. */
    @Deployment
    static EnterpriseArchive shopWithTests() throws Exception {
        WebArchive tests = ShrinkWrap.create(WebArchive.class, "tests.war")
                .addClass(FlightRecorderIT.class)
                .setManifest(new StringAsset("Manifest-Version: 1.0\nDependencies: jdk.jfr\n"))
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml")
                .addPackages(true, "org.assertj");
        return TestEar.with(Testable.archiveToTest(References.add(tests, "holdfast")));
    }

    @Test
    void acquisition_thatIsRecordedInTheServer_isThere() throws Exception {
        Path file = Files.createTempFile("holdfast", ".jfr");
        long token;
        try (Recording recording = new Recording();
                LockConnection connection = locks.getConnection()) {
            recording.enable(ACQUIRE).withoutThreshold();
            recording.start();
            Lease lease = connection.acquire("recorded");
            token = lease.token();
            lease.release();
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        Files.delete(file);
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals(ACQUIRE))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getString("name")).isEqualTo("recorded");
                    assertThat(event.getString("outcome")).isEqualTo("HELD");
                    assertThat(event.getLong("token")).isEqualTo(token);
                });
    }
}
