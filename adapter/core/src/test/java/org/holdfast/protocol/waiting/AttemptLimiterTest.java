// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptLimiterTest {

    private final AttemptLimiter attemptLimiter = new AttemptLimiter(2);
    private final List<AttemptLimiter.Pass> letIn = new ArrayList<>();

    private AttemptLimiter.Pass pass() {
        AttemptLimiter.Pass[] self = new AttemptLimiter.Pass[1];
        self[0] = attemptLimiter.new Pass(() -> letIn.add(self[0]));
        return self[0];
    }

    private AttemptLimiter.Pass inside() {
        AttemptLimiter.Pass pass = pass();
        assertThat(pass.enter()).isTrue();
        return pass;
    }

    private AttemptLimiter.Pass outside() {
        AttemptLimiter.Pass pass = pass();
        assertThat(pass.enter()).isFalse();
        return pass;
    }

    @Test
    void leave_letsTheWaitersInInTheirOrder() {
        AttemptLimiter.Pass first = inside();
        AttemptLimiter.Pass second = inside();
        AttemptLimiter.Pass third = outside();
        AttemptLimiter.Pass fourth = outside();
        assertThat(third.enter()).as("asked again").isFalse();
        first.leave();
        assertThat(letIn).containsExactly(third);
        assertThat(third.enter()).isTrue();
        assertThat(fourth.enter()).isFalse();
        second.leave();
        assertThat(letIn).containsExactly(third, fourth);
    }

    @Test
    void leave_ofAWaiterOutside_givesUpItsPlaceThere() {
        AttemptLimiter.Pass first = inside();
        AttemptLimiter.Pass second = inside();
        AttemptLimiter.Pass gone = outside();
        gone.leave();
        first.leave();
        second.leave();
        assertThat(letIn).isEmpty();
        inside();
        inside();
        outside();
    }

    @Test
    void leave_justWhenLetIn_givesThePlaceToTheNext() {
        AttemptLimiter.Pass first = inside();
        inside();
        AttemptLimiter.Pass late = outside();
        AttemptLimiter.Pass next = outside();
        first.leave();
        late.leave();
        assertThat(letIn).containsExactly(late, next);
        assertThat(next.enter()).isTrue();
    }

    @Test
    void leave_twice_freesOnePlace() {
        AttemptLimiter.Pass first = inside();
        inside();
        first.leave();
        first.leave();
        inside();
        outside();
    }
}
