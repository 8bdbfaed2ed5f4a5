// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.resource.NotSupportedException;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ConnectionRequestInfo;
import jakarta.resource.spi.ManagedConnection;
import jakarta.resource.spi.security.PasswordCredential;
import java.util.List;
import java.util.Set;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Which connections of its pool a container may give, and which it must throw away. No node is needed: nothing is sent.
 */
class MatchingTest {

    private RunningAdapter running;
    private LockManagedConnectionFactory factory;

    @BeforeEach
    void start() throws Exception {
        running = new RunningAdapter("redis://127.0.0.1:1");
        factory = running.factory;
    }

    @AfterEach
    void stop() {
        running.close();
    }

    /** As another adapter would have one. */
    private record ForeignInfo() implements ConnectionRequestInfo {}

    private static Subject foreignSubject() {
        Subject subject = new Subject();
        subject.getPrivateCredentials().add(new PasswordCredential("ada", "s3cret".toCharArray()));
        return subject;
    }

    @Test
    void match_ofNothing_isNothing() throws Exception {
        assertThat(factory.matchManagedConnections(Set.of(), null, null)).isNull();
    }

    @Test
    void match_amongForeignTypes_takesOurs() throws Exception {
        ManagedConnection ours = running.managed();
        assertThat(factory.matchManagedConnections(Set.of("foreign"), null, null))
                .isNull();
        assertThat(factory.matchManagedConnections(Set.of("foreign", ours), null, null))
                .isSameAs(ours);
    }

    @Test
    void match_withAnotherRequestInfo_isNothing() throws Exception {
        assertThat(factory.matchManagedConnections(Set.of(running.managed()), null, new ForeignInfo()))
                .isNull();
    }

    /** The user of the adapter at a node is a setting of the adapter. */
    @Test
    void match_withAnySubject_takesOurs() throws Exception {
        ManagedConnection ours = factory.createManagedConnection(foreignSubject(), null);
        assertThat(factory.matchManagedConnections(Set.of(ours), null, null)).isSameAs(ours);
        assertThat(factory.matchManagedConnections(Set.of(ours), foreignSubject(), null))
                .isSameAs(ours);
    }

    @Test
    void match_ofAFactoryWithOtherSettings_isNothing() throws Exception {
        LockManagedConnectionFactory otherPrefix = running.newFactory();
        otherPrefix.setKeyPrefix("other");
        LockManagedConnectionFactory otherTtl = running.newFactory();
        otherTtl.setTtlMillis("500");
        LockManagedConnectionFactory same = running.newFactory();
        ManagedConnection ours = running.managed();
        for (LockManagedConnectionFactory other : List.of(otherPrefix, otherTtl)) {
            assertThat(other.matchManagedConnections(Set.of(ours), null, null)).isNull();
        }
        assertThat(same.matchManagedConnections(Set.of(ours), null, null)).isSameAs(ours);
    }

    @Test
    void match_ofAConnectionWhoseAdapterWasStoppedMeanwhile_isNothing() throws Exception {
        ManagedConnection ours = running.managed();
        running.adapter.stop();
        running.adapter.start(running);
        assertThat(factory.matchManagedConnections(Set.of(ours), null, null)).isNull();
    }

    @Test
    void match_ofADestroyedConnection_isNothingAndTellsNobody() throws Exception {
        ManagedConnection destroyed = running.managed();
        ConnectionEvents events = new ConnectionEvents();
        destroyed.addConnectionEventListener(events);
        destroyed.destroy();
        assertThat(factory.matchManagedConnections(Set.of(destroyed), null, null))
                .isNull();
        assertThat(events.errors).isEmpty();
    }

    @Test
    void connections_forAnotherRequestInfo_areRefusedWithAReason() throws Exception {
        ManagedConnection ours = running.managed();
        assertThatExceptionOfType(NotSupportedException.class)
                .isThrownBy(() -> factory.createManagedConnection(null, new ForeignInfo()))
                .withMessageContaining("ForeignInfo");
        assertThatExceptionOfType(NotSupportedException.class)
                .isThrownBy(() -> ours.getConnection(null, new ForeignInfo()))
                .withMessageContaining("ForeignInfo");
    }

    @Test
    void factory_withoutAdapter_matchesNothingAndSaysWhyItCreatesNothing() throws Exception {
        LockManagedConnectionFactory alone = new LockManagedConnectionFactory();
        assertThat(alone.matchManagedConnections(Set.of(running.managed()), null, null))
                .isNull();
        assertThatExceptionOfType(ResourceException.class)
                .isThrownBy(() -> alone.createManagedConnection(null, null))
                .withMessageContaining("no resource adapter");
    }

    @Test
    void validation_findsWhatWasDestroyedAndNothingElse() throws Exception {
        ManagedConnection good = running.managed();
        ManagedConnection destroyed = running.managed();
        destroyed.destroy();
        assertThat(running.invalid(good, destroyed, "foreign")).containsExactly(destroyed);
        assertThat(running.invalid()).isEmpty();
    }

    @Test
    void validation_afterTheAdapterWasStopped_findsAll() throws Exception {
        ManagedConnection idle = running.managed();
        running.adapter.stop();
        assertThat(running.invalid(idle)).containsExactly(idle);
    }
}
