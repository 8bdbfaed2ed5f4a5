// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeaviestTest {

    @Test
    void sums_ofFewNames_areExact() {
        Heaviest heaviest = new Heaviest(3);
        heaviest.add("a", 1);
        heaviest.add("b", 5);
        heaviest.add("c", 2);
        heaviest.add("a", 3);
        assertThat(heaviest.largest(2)).isEqualTo(List.of(new Heaviest.Sum("b", 5, 0), new Heaviest.Sum("a", 4, 0)));
        assertThat(heaviest.largest(9)).hasSize(3);
    }

    @Test
    void name_thatIsNew_takesThePlaceOfTheSmallest_andSaysHowMuchMayBeTooLarge() {
        Heaviest heaviest = new Heaviest(2);
        heaviest.add("a", 10);
        heaviest.add("b", 3);
        heaviest.add("c", 1);
        assertThat(heaviest.largest(2)).isEqualTo(List.of(new Heaviest.Sum("a", 10, 0), new Heaviest.Sum("c", 4, 3)));
    }

    @Test
    void names_thatAreHeavy_areAmongManyLightOnes() {
        Heaviest heaviest = new Heaviest(50);
        Map<String, Long> exact = new HashMap<>();
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            String name = random.nextInt(10) == 0 ? "heavy-" + random.nextInt(3) : "light-" + random.nextInt(5_000);
            heaviest.add(name, 2);
            exact.merge(name, 2L, Long::sum);
        }
        assertThat(heaviest.largest(3)).allSatisfy(each -> {
            assertThat(each.name()).startsWith("heavy");
            long real = exact.get(each.name());
            assertThat(each.sum()).isGreaterThanOrEqualTo(real);
            assertThat(each.sum() - each.atMostTooLarge()).isLessThanOrEqualTo(real);
        });
        assertThat(heaviest.largest(Integer.MAX_VALUE)).as("bounded").hasSize(50);
    }

    @Test
    void places_none_areRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Heaviest(0));
    }
}
