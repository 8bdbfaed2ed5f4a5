// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import org.apache.tomee.catalina.TomEEWebappClassLoader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where TomEE is not, or is not what it was. What it is, the tests on servers show. */
class TransactionalOfTomEETest {

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void interceptors_onAnotherServer_areItsOwnBusiness() {
        assertThat(TransactionalOfTomEE.interceptorsNotIn(List.of())).isEmpty();
    }

    @Test
    void interceptors_thatTomEEDoesNotHave_keepTheApplicationFromBeingDeployed() {
        Thread.currentThread().setContextClassLoader(new TomEEWebappClassLoader(before));
        assertThatIllegalStateException()
                .isThrownBy(() -> TransactionalOfTomEE.interceptorsNotIn(List.of()))
                .withMessageContaining("HF0508");
    }
}
