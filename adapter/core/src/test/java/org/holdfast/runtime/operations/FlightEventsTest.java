// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FlightEventsTest {

    private static final List<String> KINDS = List.of("Acquire", "Wait", "Renew", "Lost", "NodeState");

    @TempDir
    private Path directory;

    private Processes processes;

    @BeforeEach
    void start() {
        processes = Processes.start(3, 1, Map.of("ttlMillis", "3000", "nodeTimeoutMillis", "1000"));
    }

    @AfterEach
    void stop() {
        processes.close();
    }

    private interface Work {
        void run() throws Exception;
    }

    private List<RecordedEvent> record(Work work) throws Exception {
        try (Recording recording = new Recording()) {
            KINDS.forEach(kind -> recording.enable("org.holdfast." + kind).withoutThreshold());
            recording.start();
            work.run();
            recording.stop();
            return events(recording);
        }
    }

    private List<RecordedEvent> events(Recording recording) throws IOException {
        Path file = directory.resolve("recording.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("org.holdfast."))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime)) // each thread has its own part of the file
                .toList();
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String kind) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("org.holdfast." + kind))
                .toList();
    }

    @Test
    void acquisition_isAnEventWithItsOutcomeAndDuration() throws Exception {
        long[] token = new long[1];
        List<RecordedEvent> events = of(
                record(() -> {
                    Lease lease = processes
                            .connection(0)
                            .acquire(LockRequest.allOf("a", "b").detached());
                    token[0] = lease.token();
                    LockRequest reading = LockRequest.of("a").mode(LockMode.READ);
                    assertThat(processes.connection(0).tryAcquire(reading.waitTimeout(ofMillis(120))))
                            .isEmpty();
                }),
                "Acquire");
        assertThat(events).hasSize(2);
        assertThat(events.get(0).getString("name")).isEqualTo("a,b");
        assertThat(events.get(0).getString("mode")).isEqualTo("EXCLUSIVE");
        assertThat(events.get(0).getString("outcome")).isEqualTo("HELD");
        assertThat(events.get(0).getLong("token")).isEqualTo(token[0]);
        assertThat(events.get(0).getStackTrace().getFrames())
                .anyMatch(frame -> frame.getMethod().getType().getName().equals(FlightEventsTest.class.getName()));
        assertThat(events.get(1).getString("mode")).isEqualTo("READ");
        assertThat(events.get(1).getString("outcome")).isEqualTo("TIMED_OUT");
        assertThat(events.get(1).getLong("token")).isZero();
        assertThat(events.get(1).getDuration()).isGreaterThanOrEqualTo(ofMillis(115));
    }

    @Test
    void acquisition_withoutAThread_isAnEventToo() throws Exception {
        List<RecordedEvent> events = of(
                record(() -> processes
                        .connection(0)
                        .acquireAsync(LockRequest.of("a").detached())
                        .get()),
                "Acquire");
        assertThat(events).singleElement().satisfies(event -> assertThat(event.getString("outcome"))
                .isEqualTo("HELD"));
    }

    @Test
    void waiting_isAnEventForWhoGetsTheLockAndWhoDoesNot() throws Exception {
        List<RecordedEvent> events = of(
                record(() -> {
                    Lease lease = processes.connection(0).acquire("a");
                    assertThat(Processes.onAnotherThread(() -> processes
                                    .connection(0)
                                    .tryAcquire(LockRequest.of("a").waitTimeout(ofMillis(50)))))
                            .isEmpty();
                    FutureTask<Lease> waiter =
                            processes.acquire(0, LockRequest.of("a").fair(true));
                    processes.awaitTickets("a", 1);
                    lease.release();
                    waiter.get().release();
                }),
                "Wait");
        assertThat(events).hasSize(2).allSatisfy(event -> assertThat(event.getString("name"))
                .isEqualTo("a"));
        assertThat(events.get(0).getString("line")).isEqualTo("BARGING");
        assertThat(events.get(0).getBoolean("held")).isFalse();
        assertThat(events.get(1).getString("line")).isEqualTo("FAIR");
        assertThat(events.get(1).getBoolean("held")).isTrue();
    }

    @Test
    void renewalsLossAndNodes_areEvents() throws Exception {
        long[] token = new long[1];
        List<RecordedEvent> events = record(() -> {
            Lease lease = processes.connection(0).acquire("a");
            token[0] = lease.token();
            assertThat(lease.renew()).isTrue();
            processes.redis.get(0).kill();
            processes.redis.get(1).kill();
            assertThat(lease.renew()).isFalse();
            await().until(() -> !lease.isHeld());
            assertThat(catchThrowable(() ->
                            processes.connection(0).acquire(LockRequest.of("b").waitTimeout(ofMillis(10)))))
                    .isNotNull();
        });
        assertThat(of(events, "Renew"))
                .anyMatch(event -> event.getInt("leases") == 1 && event.getInt("extended") == 1)
                .anyMatch(event -> event.getInt("leases") == 1 && event.getInt("extended") == 0);
        assertThat(of(events, "Lost")).singleElement().satisfies(event -> {
            assertThat(event.getString("name")).isEqualTo("a");
            assertThat(event.getLong("token")).isEqualTo(token[0]);
            assertThat(event.getString("reason"))
                    .contains(processes.redis.get(0).uri());
        });
        assertThat(of(events, "NodeState"))
                .filteredOn(event -> event.getString("state").equals("suspected"))
                .allSatisfy(event -> assertThat(event.getString("reason")).isNotEmpty())
                .extracting(event -> event.getString("node"))
                .contains(processes.redis.get(0).uri(), processes.redis.get(1).uri());
        assertThat(of(events, "Acquire"))
                .anyMatch(event -> event.getString("outcome").equals("UNAVAILABLE"));
    }

    @Test
    void node_thatWasRestarted_isAnEventOfItsQuarantineWithTheReason() throws Exception {
        RedisServer node = processes.redis.get(0);
        LockRequest patient = LockRequest.of("a").waitTimeout(ofSeconds(20));
        Map<String, String> guarded =
                Map.of("nodes", node.uri(), "maxLeaseTtlMillis", "1000", "nodeTimeoutMillis", "500");
        try (LockConnectionFactory locks = Holdfast.connect(guarded);
                LockConnection connection = locks.getConnection()) {
            connection.acquire(patient).release();
            List<RecordedEvent> states = of(
                    record(() -> {
                        node.kill();
                        node.start();
                        connection.acquire(patient).release(); // it votes again, though we have not looked yet
                    }),
                    "NodeState");
            assertThat(states)
                    .filteredOn(event -> event.getString("state").equals("quarantined"))
                    .first()
                    .satisfies(event -> {
                        assertThat(event.getString("node")).isEqualTo(node.uri());
                        assertThat(event.getString("reason")) // by the first look, or right after
                                .isIn(
                                        "another Redis process than before answers at this address",
                                        "its birth mark says so");
                    });
        }
    }

    @Test
    void quickOnes_areNoEventsUnlessAskedFor() throws Exception {
        try (Recording recording = new Recording()) {
            recording.enable("org.holdfast.Acquire").with("threshold", "1 h");
            recording.start();
            processes.connection(0).acquire("a").release();
            recording.stop();
            assertThat(events(recording)).isEmpty();
        }
    }
}
