// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The check says the same as a search through every order. */
class CompletenessTest {

    private static final int HISTORIES = 60_000;

    private enum Shape {
        EXCLUSIVE,
        READERS_AND_WRITERS,
        PERMITS
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void check_agreesWithTheSearchThroughEveryOrder(Shape shape) {
        int explained = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            History history = random(shape, new Random(seed));
            List<Hold> holds = history.holds(Holds.LOCK);
            boolean expected = EverySearch.isExplained(holds);
            Verdict verdict = HistoryCheck.decide(history);
            assertThat(verdict.isClean())
                    .as("seed %d: %s%n%s", seed, holds, verdict)
                    .isEqualTo(expected);
            explained += expected ? 1 : 0;
        }
        assertThat(explained).as("histories of both kinds").isBetween(HISTORIES / 20, HISTORIES * 19 / 20);
    }

    private static History random(Shape shape, Random random) {
        Holds holds = new Holds();
        int count = 2 + random.nextInt(4);
        for (int hold = 0; hold < count; hold++) {
            long token = 1 + random.nextInt(3 * count);
            long asked = token * 2 + random.nextInt(9);
            long granted = asked + random.nextInt(9);
            long end = granted - 1 + random.nextInt(4);
            switch (shape) {
                case EXCLUSIVE -> holds.alone(token, asked, granted, end);
                case READERS_AND_WRITERS -> {
                    if (random.nextInt(3) > 0) {
                        holds.reader(token, asked, granted, end);
                    } else {
                        holds.alone(token, asked, granted, end);
                    }
                }
                case PERMITS -> holds.permit(2, asked, granted, end + random.nextInt(9));
            }
        }
        return holds.history;
    }
}
