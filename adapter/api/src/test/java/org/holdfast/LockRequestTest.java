// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LockRequestTest {

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String... parts) {
        var thrown =
                assertThatExceptionOfType(InvalidLockRequestException.class).isThrownBy(call);
        for (String part : parts) {
            thrown.withMessageContaining(part);
        }
    }

    @Test
    void of_emptyOrNullName_isRefused() {
        refused(() -> LockRequest.of(""), "1 to 1024 bytes of UTF-8", "was empty");
        refused(() -> LockRequest.of(null), "was null");
    }

    @Test
    void of_nameOfMoreThanOneKibibyteOfUtf8_isRefused() {
        LockRequest.of("x".repeat(1024));
        LockRequest.of("ä".repeat(512));
        refused(() -> LockRequest.of("x".repeat(1025)), "was 1025 bytes");
        refused(() -> LockRequest.of("ä".repeat(513)), "was 1026 bytes");
    }

    @Test
    void of_halfASurrogatePair_isRefused() {
        LockRequest.of("lock \uD83D\uDD12");
        refused(() -> LockRequest.of("lock \uD83D"), "surrogate");
        refused(() -> LockRequest.of("lock \uD83E"), "surrogate");
    }

    @Test
    void ttl_zeroOrTooShort_isRefused() {
        LockRequest request = LockRequest.of("a");
        refused(() -> request.ttl(Duration.ZERO), "ttl must be at least 100 ms, was PT0S (lock 'a')");
        refused(() -> request.ttl(Duration.ofMillis(99)), "PT0.099S");
        assertThat(request.ttl(Duration.ofMillis(100)).ttl()).contains(Duration.ofMillis(100));
    }

    @Test
    void waitTimeout_negative_isRefused() {
        LockRequest request = LockRequest.of("a");
        refused(() -> request.waitTimeout(Duration.ofMillis(-1)), "waitTimeout", "PT-0.001S", "'a'");
        assertThat(request.waitTimeout(Duration.ZERO).waitTimeout()).contains(Duration.ZERO);
    }

    @Test
    void changes_leaveTheOriginalAsItWas() {
        LockRequest request = LockRequest.of("a");
        LockRequest changed = request.detached().renewal(false).ttl(Duration.ofSeconds(1));
        assertThat(changed.scope()).isEqualTo(LeaseScope.DETACHED);
        assertThat(changed.renewal()).isFalse();
        assertThat(request).isEqualTo(LockRequest.of("a"));
    }

    @Test
    void connect_withoutImplementation_saysWhatToAdd() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Holdfast.connect("redis://localhost"))
                .withMessageContaining("holdfast-core")
                .withMessageContaining("JNDI");
    }
}
