// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoState.Lease;
import org.junit.jupiter.api.Test;

/** What is shown of leases when servers report at different moments. Moments are milliseconds from the start. */
class LeaseHistoryTest {

    private static final String LOCK = "stock-lamp";

    private final Clock clock = new Clock();
    private final long start = System.nanoTime();
    private final LeaseHistory history = new LeaseHistory(clock);

    private long at(long millis) {
        return start + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private ShopReport.Lease held(long token, long from) {
        return new ShopReport.Lease(LOCK, token, at(from), OptionalLong.empty());
    }

    private ShopReport.Lease ended(long token, long from, long to) {
        return new ShopReport.Lease(LOCK, token, at(from), OptionalLong.of(at(to)));
    }

    private List<Long> tokens(long now) {
        return history.leases(at(now)).stream().map(Lease::token).toList();
    }

    private Double end(long now, int index) {
        Double to = history.leases(at(now)).get(index).to();
        return to == null ? null : Double.valueOf(Math.rint(to - clock.millis(start)));
    }

    @Test
    void lease_thatBeganAfterTheOldestReport_isShownWhenTheOtherServerHasReportedToo() {
        history.add(0, at(100), List.of(held(1, 90)));
        history.add(1, at(200), List.of(held(2, 150)));
        assertThat(tokens(210))
                .as("the first server may have released its own meanwhile")
                .containsExactly(1L);
        assertThat(end(210, 0)).isNull();

        history.add(0, at(250), List.of(ended(1, 90, 140)));
        assertThat(tokens(260)).containsExactly(1L, 2L);
        assertThat(end(260, 0)).isEqualTo(140);
    }

    @Test
    void lease_ofAServerThatIsSilent_endsWhereTheNextOneBegan() {
        history.add(0, at(100), List.of(held(1, 90)));
        history.forget(0);
        history.add(1, at(5_200), List.of(held(2, 5_100)));
        assertThat(end(5_210, 0)).isEqualTo(5_100);

        history.add(0, at(7_000), List.of(ended(1, 90, 5_050)));
        assertThat(end(7_010, 0)).as("its own account").isEqualTo(5_050);
    }

    @Test
    void lease_ofAServerThatWasKilled_endsWhenTheNodesReportNoHolder() {
        history.add(0, at(100), List.of(held(1, 90)));
        history.forget(0);
        history.free(at(80));
        assertThat(end(4_000, 0)).isNull();
        history.free(at(5_100));
        assertThat(end(5_110, 0)).isEqualTo(5_100);
    }

    @Test
    void overlap_thatServersReport_isShown() {
        history.add(0, at(200), List.of(ended(1, 90, 150)));
        history.add(1, at(200), List.of(ended(2, 140, 160)));
        assertThat(end(210, 0)).isEqualTo(150);
        assertThat(history.leases(at(210)).get(1).from())
                .isLessThan(history.leases(at(210)).get(0).to());
    }

    @Test
    void leases_moreThanAreShown_areBoundedAndTheNewestStay() {
        for (int round = 0; round < 10; round++) {
            long first = round * 100L;
            history.add(
                    0,
                    at(first + 100),
                    LongStream.range(first, first + 100)
                            .mapToObj(token -> ended(token, token, token + 1))
                            .toList());
        }
        assertThat(tokens(1_000)).hasSize(LeaseHistory.MOST).endsWith(999L);
        assertThat(tokens(40_000)).as("none that is older than 30 s").isEmpty();
    }
}
