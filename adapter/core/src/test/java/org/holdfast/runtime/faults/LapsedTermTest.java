// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockRequest;
import org.holdfast.LogLines;
import org.holdfast.redis.health.NodeHealth;
import org.holdfast.testkit.Link;
import org.holdfast.testkit.SentinelGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A client hears no Sentinel for longer than votes count, while the primary stays what it was. */
@Tag("thorough")
@Timeout(180)
class LapsedTermTest {

    private static final Duration MEMORY = ofSeconds(30);
    private static final Duration PATIENCE = ofSeconds(90);

    @RegisterExtension
    final MovingVoters voters = new MovingVoters();

    /** Its mark says that a client has waited for this process in this term of the Sentinels. */
    @Test
    void lease_ofAClientThatHearsItsSentinelsAgain_isKept_andThePrimaryIsAskedAtOnce() throws Exception {
        SentinelGroup group = voters.opened(SentinelGroup.start(MovingVoters.FILES, 1));
        List<Link> ways = group.sentinels().stream()
                .map(sentinel -> voters.opened(new Link(sentinel.port())))
                .toList();
        LockConnection locks =
                voters.connect(SentinelGroup.uri(ways.stream().map(Link::port).toList()), MEMORY);
        Lease lease = locks.acquire(LockRequest.of("kept").ttl(MEMORY).waitTimeout(PATIENCE));

        ways.forEach(Link::cut);
        await("votes count no more")
                .atMost(PATIENCE)
                .until(() -> !MovingVoters.isGranted(locks, "other-" + System.nanoTime()));
        try (LogLines lines = LogLines.of(NodeHealth.class.getName())) {
            ways.forEach(Link::mend);
            await().atMost(PATIENCE).until(() -> MovingVoters.isGranted(locks, "other-" + System.nanoTime()));
            assertThat(lines.beginningWith("HF0301")).noneMatch(line -> line.contains("since a moment ago"));
        }
        assertThat(lease.renew()).isTrue();
    }
}
