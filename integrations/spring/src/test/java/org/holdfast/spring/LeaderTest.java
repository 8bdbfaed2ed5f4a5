// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** Spring Integration's election of a leader, as {@code RedisLockRegistryLeaderInitiatorTests} has it. */
@Timeout(60)
class LeaderTest {

    private static final class Candidate extends DefaultCandidate {

        private final CountDownLatch granted = new CountDownLatch(1);
        private final CountDownLatch revoked = new CountDownLatch(1);

        private Candidate(String id) {
            super(id, "role");
        }

        @Override
        public void onGranted(Context context) {
            granted.countDown();
        }

        @Override
        public void onRevoked(Context context) {
            revoked.countDown();
        }
    }

    private static LockRegistryLeaderInitiator initiator(LockConnectionFactory factory, Candidate candidate) {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(new HoldfastLockRegistry(factory), candidate);
        initiator.setHeartBeatMillis(50);
        initiator.setBusyWaitMillis(50);
        return initiator;
    }

    @Test
    void leader_whoseLockIsTakenAway_isRevokedAndAnotherIsGranted() throws InterruptedException {
        try (RedisServers redis = RedisServers.start(3);
                LockConnectionFactory here = Holdfast.connect(Map.of(
                        "nodes", redis.uris(), "guard", "OFF", "ttlMillis", "4000", "nodeTimeoutMillis", "2000"));
                LockConnectionFactory there = Holdfast.connect(Map.of(
                        "nodes", redis.uris(), "guard", "OFF", "ttlMillis", "4000", "nodeTimeoutMillis", "2000"))) {
            Candidate one = new Candidate("one");
            Candidate two = new Candidate("two");
            LockRegistryLeaderInitiator first = initiator(here, one);
            LockRegistryLeaderInitiator second = initiator(there, two);
            first.start();
            assertThat(one.granted.await(30, TimeUnit.SECONDS)).isTrue();
            second.start();
            assertThat(two.granted.await(300, TimeUnit.MILLISECONDS)).isFalse();
            redis.get(0).kill();
            assertThat(two.granted.await(300, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(one.revoked.getCount()).isOne();
            redis.get(1).kill();
            assertThat(one.revoked.await(30, TimeUnit.SECONDS))
                    .as("without nodes")
                    .isTrue();
            redis.get(0).start();
            redis.get(1).start();
            first.stop();
            assertThat(two.granted.await(40, TimeUnit.SECONDS)).isTrue();
            second.stop();
        }
    }

    /** Another process may have been the leader meanwhile, also where this one gets the lock again at once. */
    @Test
    void leader_whoseLockIsLost_isRevokedBeforeItIsGrantedAgainAndLeavesNothing() throws InterruptedException {
        try (RedisServers redis = RedisServers.start(3);
                LockConnectionFactory here =
                        Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
                LockConnectionFactory there =
                        Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "5000"));
                LockConnection connection = there.getConnection()) {
            BlockingQueue<String> told = new LinkedBlockingQueue<>();
            LockRegistryLeaderInitiator initiator = new LockRegistryLeaderInitiator(
                    new HoldfastLockRegistry(here), new DefaultCandidate("one", "role") {
                        @Override
                        public void onGranted(Context context) {
                            told.add("granted");
                        }

                        @Override
                        public void onRevoked(Context context) {
                            told.add("revoked");
                        }
                    });
            initiator.setHeartBeatMillis(50);
            initiator.setBusyWaitMillis(50);
            initiator.start();
            assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("granted");
            here.forceRelease("role");
            assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("revoked");
            assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("granted");
            initiator.stop();
            assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("revoked");
            connection
                    .acquire(LockRequest.of("role").waitTimeout(Duration.ofSeconds(30)))
                    .release();
        }
    }
}
