// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.StaleLeaseException;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A row that refuses old tokens, in a real database, of leases on real nodes. */
@Timeout(60)
class FenceTest {

    private static final Fence FENCE = new Fence("stock", "sku", "fence");

    private final RedisServers redis = RedisServers.start(3);
    private final LockConnectionFactory locks =
            Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "waitTimeoutMillis", "20000"));
    private Connection database;

    @BeforeEach
    void open() throws SQLException {
        database = connect();
        execute("drop table if exists stock");
        execute("create table stock (sku varchar(20) primary key, quantity int not null, fence bigint not null)");
        execute("insert into stock values ('lamp', 100, 0)");
        database.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        database.close();
        locks.close();
        redis.close();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1");
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = database.createStatement()) {
            statement.execute(sql);
        }
    }

    private int quantity() throws SQLException {
        try (Statement statement = database.createStatement()) {
            ResultSet row = statement.executeQuery("select quantity from stock where sku = 'lamp'");
            row.next();
            return row.getInt(1);
        }
    }

    private Lease acquire() throws InterruptedException {
        return locks.getConnection()
                .acquire(LockRequest.of("lamp").fixedTtl(Duration.ofMillis(500)).detached());
    }

    private void write(Lease lease, int quantity) throws SQLException {
        try {
            FENCE.raise(database, "lamp", lease);
            execute("update stock set quantity = " + quantity + " where sku = 'lamp'");
            database.commit();
        } catch (StaleLeaseException e) {
            database.rollback();
            throw e;
        }
    }

    @Test
    void write_ofAHolderThatSleptUntilAnotherHadWritten_isRefused() throws Exception {
        Lease asleep = acquire();
        Lease next = acquire(); // as soon as nodes let go of the first
        write(next, 99);
        assertThat(asleep.isHeld()).isFalse();

        assertThatExceptionOfType(StaleLeaseException.class)
                .isThrownBy(() -> write(asleep, 98))
                .withMessageContaining("'lamp'")
                .satisfies(e -> {
                    assertThat(e.token()).isEqualTo(asleep.token());
                    assertThat(e.seen()).isEqualTo(next.token());
                });
        assertThat(quantity()).isEqualTo(99);
        write(next, 97);
        assertThat(quantity()).as("the later holder goes on").isEqualTo(97);
    }

    @Test
    void raise_keepsALaterHolderWaitingUntilTheTransactionHasEnded() throws Exception {
        Lease first = acquire();
        FENCE.raise(database, "lamp", first);
        Lease later = acquire();
        try (Connection other = connect()) {
            other.setAutoCommit(false);
            try (Statement statement = other.createStatement()) {
                statement.execute("set lock_timeout 200");
            }
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> FENCE.raise(other, "lamp", later))
                    .withMessageContaining("lock");
            database.rollback();
            await().atMost(20, SECONDS).ignoreExceptions().untilAsserted(() -> FENCE.raise(other, "lamp", later));
            other.commit();
        }
    }

    @Test
    void raise_ofNoRow_isFalse_andWithoutATransactionRefused() throws Exception {
        Lease lease = acquire();
        assertThat(FENCE.raise(database, "desk", lease)).isFalse();
        database.setAutoCommit(true);
        assertThatIllegalStateException().isThrownBy(() -> FENCE.raise(database, "lamp", lease));
    }

    @Test
    void fence_ofWhatIsNoIdentifier_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Fence("stock where 1=1 --", "sku", "fence"))
                .withMessageContaining("identifiers");
    }
}
