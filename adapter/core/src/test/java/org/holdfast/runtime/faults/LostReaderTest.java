// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LogLines;
import org.holdfast.StandingThread;
import org.holdfast.runtime.Processes;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The thread that reads for others never runs again, as a virtual thread whose wait ends while the heap is full. */
@Timeout(90)
class LostReaderTest {

    private static final String SELECT = "lockAndDoSelect";

    @Test
    void readerThread_thatNeverRunsAgain_keepsNoCallerWaiting_andNoLeaseFromItsRenewal() throws Exception {
        try (RedisServers redis = RedisServers.start(3, Path.of("target", "redis"));
                LogLines lines = LogLines.of("org.holdfast.redis")) {
            LockConnectionFactory locks = Holdfast.connect(settings(redis));
            LockConnection connection = locks.getConnection();
            Lease kept = connection.acquire("kept");
            connection.acquire("of another").release(); // opens the connections that releases and renewals use
            Thread reader = lostReader(redis, connection);
            connection.acquire("of another").release();
            connection.acquire("of another").release(); // the second has connections that are there
            Duration left = kept.remaining();
            await().until(() -> kept.remaining().compareTo(left) > 0); // it was renewed
            FutureTask<Void> closing = Processes.start(() -> {
                locks.close();
                return null;
            });
            closing.get(30, TimeUnit.SECONDS);
            assertThat(StandingThread.isIn(SELECT, reader)).as("still lost").isTrue();
            assertThat(lines.beginningWith("HF0317").isEmpty()
                            && lines.beginningWith("HF0301").isEmpty())
                    .as("neither its reader nor the nodes, which stood still for too long, lost a channel")
                    .isFalse();
        }
    }

    /** Releases locks while the nodes stand still, until it is such a thread that reads, and not one that renews. */
    private static Thread lostReader(RedisServers redis, LockConnection connection) throws Exception {
        while (true) {
            Lease released = connection.acquire("of the reader");
            redis.all().forEach(node -> node.freeze());
            Thread reader = new Thread(released::release);
            reader.setDaemon(true);
            reader.start();
            boolean reads = StandingThread.standsStillIn(SELECT, reader);
            redis.all().forEach(node -> node.thaw());
            if (reads) {
                return reader;
            }
        }
    }

    private static Map<String, String> settings(RedisServers redis) {
        String nodes = redis.uris();
        return Map.of("nodes", nodes, "guard", "OFF", "ttlMillis", "24000", "nodeTimeoutMillis", "4000");
    }
}
