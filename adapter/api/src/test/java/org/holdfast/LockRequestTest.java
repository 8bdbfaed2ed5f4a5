// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
    void ttlAndFixedTtl_ofOneRequest_theLastCounts() {
        LockRequest request = LockRequest.of("a").ttl(Duration.ofSeconds(1));
        assertThat(request.renewed()).isTrue();
        LockRequest fixed = request.fixedTtl(Duration.ofSeconds(2));
        assertThat(fixed.renewed()).isFalse();
        assertThat(fixed.ttl()).contains(Duration.ofSeconds(2));
        assertThat(fixed.ttl(Duration.ofSeconds(1))).isEqualTo(request);
    }

    @Test
    void fixedTtl_thatIsTooShortOrMissing_isRefused() {
        LockRequest request = LockRequest.of("a").atLeast(Duration.ofSeconds(5));
        refused(() -> request.fixedTtl(Duration.ofMillis(99)), "fixedTtl must be at least 100 ms, was PT0.099S");
        refused(() -> request.fixedTtl(Duration.ofSeconds(4)), "fixedTtl must not be less than atLeast");
        refused(
                () -> new LockRequest(
                        request.names(),
                        request.mode(),
                        request.permits(),
                        request.fair(),
                        request.waitTimeout(),
                        request.ttl(),
                        false,
                        request.maxHold(),
                        request.atLeast(),
                        request.interruptOnLoss(),
                        request.scope(),
                        request.release()),
                "must have a fixedTtl",
                "'a'");
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
        LockRequest changed = request.detached().fixedTtl(Duration.ofSeconds(1));
        assertThat(changed.scope()).isEqualTo(LeaseScope.DETACHED);
        assertThat(changed.renewed()).isFalse();
        assertThat(request).isEqualTo(LockRequest.of("a"));
    }

    @Test
    void connect_withoutImplementation_saysWhatToAdd() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Holdfast.connect("redis://localhost"))
                .withMessageContaining("holdfast-core")
                .withMessageContaining("JNDI");
    }

    private static void assertRefused(ThrowingCallable request, String... words) {
        assertThatExceptionOfType(InvalidLockRequestException.class)
                .isThrownBy(request)
                .withMessageContainingAll(words);
    }

    @Test
    void severalNames_areKeptInOrderAndMustDiffer() {
        LockRequest request = LockRequest.allOf("b", "a");
        assertThat(request.names()).containsExactly("b", "a");
        assertThat(request.name()).isEqualTo("b");
        assertRefused(() -> LockRequest.allOf("a", "b", "a"), "'a'", "once");
        assertRefused(() -> LockRequest.allOf(), "1 to 100", "0");
        assertRefused(() -> LockRequest.allOf("a", ""), "empty");
        assertRefused(
                () -> LockRequest.allOf(
                        IntStream.rangeClosed(0, 100).mapToObj(i -> "n" + i).toArray(String[]::new)),
                "1 to 100",
                "101");
    }

    @Test
    void severalNames_inAnotherModeOrFair_areRefused() {
        assertRefused(() -> LockRequest.allOf("a", "b").mode(LockMode.READ), "several names", "READ", "'a'");
        assertRefused(() -> LockRequest.allOf("a", "b").fair(true), "several names", "fair");
    }

    @Test
    void atLeast_thatCannotBeKept_isRefused() {
        LockRequest request = LockRequest.of("a").atLeast(Duration.ofSeconds(5));
        assertThat(request.atLeast()).contains(Duration.ofSeconds(5));
        assertRefused(() -> LockRequest.of("a").atLeast(Duration.ofMillis(99)), "atLeast", "100 ms", "'a'");
        assertRefused(() -> request.mode(LockMode.READ), "atLeast", "EXCLUSIVE", "READ");
        assertRefused(() -> request.ttl(Duration.ofSeconds(4)), "ttl", "PT5S", "PT4S");
        assertRefused(() -> request.maxHold(Duration.ofSeconds(4)), "maxHold", "PT5S", "PT4S");
    }

    @Test
    void release_isAsTheFactorySays_unlessTheRequestDoes() {
        assertThat(LockRequest.of("a").release()).isEqualTo(Release.AS_CONFIGURED);
        assertThat(LockRequest.of("a")
                        .release(Release.ASYNC)
                        .ttl(Duration.ofSeconds(1))
                        .detached()
                        .release())
                .isEqualTo(Release.ASYNC);
    }

    @Test
    void permits_outOfTheirRangeOrFair_areRefused() {
        assertThat(LockRequest.semaphore("a", 1000).permits()).isEqualTo(1000);
        assertRefused(() -> LockRequest.semaphore("a", 0), "permits", "1 to 1000", "0", "'a'");
        assertRefused(() -> LockRequest.semaphore("a", 1001), "1001");
        assertRefused(() -> LockRequest.semaphore("a", 3).mode(LockMode.READ), "permits", "READ", "3");
        assertRefused(() -> LockRequest.of("a").mode(LockMode.PERMIT), "permits", "1 to 1000");
        assertRefused(() -> LockRequest.semaphore("a", 3).fair(true), "fair", "PERMIT");
    }

    @Test
    void names_thatTheCallerChangesLater_stayAsTheyWere() {
        String[] names = {"a", "b"};
        LockRequest request = LockRequest.allOf(names);
        names[0] = "c";
        assertThat(request.names()).containsExactly("a", "b");
    }
}
