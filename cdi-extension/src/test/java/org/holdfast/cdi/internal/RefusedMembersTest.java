// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.spi.DeploymentException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.holdfast.LockMode;
import org.holdfast.cdi.LockKey;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.OnLoss;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** Members that are no values, or contradict each other: the application is not deployed, with a reason. */
class RefusedMembersTest extends RefusedBeans {

    static Stream<Arguments> refused() {
        return Stream.of(
                bean(NoName.class, "work()", "the name of the lock must not be empty"),
                bean(NoNames.class, "value must have 1 to 100 names, had 0"),
                bean(NameTwice.class, "value must have each name once, was [a, a]"),
                bean(UnknownName.class, "work(java.lang.String)", "#{idd} names [idd], which is no parameter"),
                bean(UnknownPosition.class, "#{args[1]} asks for argument 1, counted from 0, and the method has 1"),
                bean(
                        UnknownProperty.class,
                        "#{order.nope} asks for the property 'nope', which",
                        "Order does not have; there are [id]"),
                bean(KeyTwice.class, "arguments 0 and 1 have the same name 'key', given by @LockKey"),
                bean(KeyNoName.class, "@LockKey must be a Java identifier other than args, was '1st'"),
                bean(NoDuration.class, "waitTimeout must be an ISO-8601 duration of at least PT0S, was '5s'"),
                bean(TooShort.class, "ttl must be an ISO-8601 duration of at least PT0.1S, was 'PT0S'"),
                bean(Permit.class, "mode must be one of [EXCLUSIVE, READ, WRITE], was 'PERMIT'"),
                bean(SeveralToRead.class, "several names are locked in the mode EXCLUSIVE, was READ"),
                bean(SeveralFair.class, "fair must be false, was true"),
                bean(AtLeastToRead.class, "atLeast is for the mode EXCLUSIVE, was WRITE"),
                bean(AtLeastTooLong.class, "ttl must not be less than atLeast, which is PT10S, was PT5S"),
                bean(MaxHoldTooShort.class, "maxHold must not be less than atLeast, which is PT10S, was PT5S"),
                bean(WaitToFail.class, "waitTimeout is for onBusy = WAIT, was FAIL"),
                bean(SkipNumber.class, "onBusy = SKIP is for methods that return void, Optional or boolean, was int"),
                bean(SkipStage.class, "onBusy = SKIP is for methods that return void, Optional or boolean"),
                bean(InterruptStage.class, "onLoss = INTERRUPT is for methods whose thread does the work"),
                bean(ContinueInTransaction.class, "onLoss = CONTINUE needs scope = INVOCATION, was TRANSACTION"));
    }

    /** Servers print each problem with its stack trace. */
    @Test
    void deployment_withSeveralFaults_isRefusedWithOneMessageAndWithoutATrace() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(NoName.class, NoNames.class))
                .withMessageContainingAll(
                        "HF0501: @Locked: 2 faults:", "must not be empty", "value must have 1 to 100 names")
                .satisfies(refusal -> assertThat(refusal.getStackTrace()) // it may have one of the container
                        .noneMatch(frame -> frame.getClassName().startsWith(LockExtension.class.getName())));
    }

    @Test
    void severalFaults_areToldTogether_oneMessageForEachMethod() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(NoDuration.class, UnknownName.class, Manifold.class))
                .withMessageContainingAll("NoDuration.work()", "'5s'")
                .withMessageContainingAll("UnknownName.work(java.lang.String)", "[idd]")
                .withMessageContaining(
                        "Manifold.one(): #{x} names [x], which is no parameter of the method; there are [] and"
                                + " args[…]; mode must be one of [EXCLUSIVE, READ, WRITE], was 'PERMIT';"
                                + " ttl must be an ISO-8601 duration of at least PT0.1S, was '1'")
                .withMessageContaining("Manifold.two(): the name of the lock must not be empty");
    }

    @Dependent
    public static class Manifold {
        @Locked(value = "#{x}", mode = LockMode.PERMIT, ttl = "1")
        public void one() {}

        @Locked("")
        public void two() {}
    }

    @Dependent
    public static class NoName {
        @Locked("")
        public void work() {}
    }

    @Dependent
    public static class NoNames {
        @Locked({})
        public void work() {}
    }

    @Dependent
    public static class NameTwice {
        @Locked({"a", "a"})
        public void work() {}
    }

    @Dependent
    public static class UnknownName {
        @Locked("order-#{idd}")
        public void work(String id) {}
    }

    record Order(long id) {}

    @ApplicationScoped
    static class UnknownProperty {
        @Locked("order-#{order.nope}")
        public void work(Order order) {}
    }

    @Dependent
    public static class UnknownPosition {
        @Locked("order-#{args[1]}")
        public void work(String id) {}
    }

    @Dependent
    public static class KeyTwice {
        @Locked("order-#{key}")
        public void work(@LockKey String one, @LockKey String other) {}
    }

    @Dependent
    public static class KeyNoName {
        @Locked("order")
        public void work(@LockKey("1st") String one) {}
    }

    @Dependent
    public static class NoDuration {
        @Locked(value = "a", waitTimeout = "5s", ttl = "PT30S")
        public void work() {}
    }

    @Dependent
    public static class TooShort {
        @Locked(value = "a", ttl = "PT0S")
        public void work() {}
    }

    @Dependent
    public static class Permit {
        @Locked(value = "a", mode = LockMode.PERMIT)
        public void work() {}
    }

    @Dependent
    public static class SeveralToRead {
        @Locked(
                value = {"a", "b"},
                mode = LockMode.READ)
        public void work() {}
    }

    @Dependent
    public static class SeveralFair {
        @Locked(
                value = {"a", "b"},
                fair = true)
        public void work() {}
    }

    @Dependent
    public static class AtLeastToRead {
        @Locked(value = "a", mode = LockMode.WRITE, atLeast = "PT1S")
        public void work() {}
    }

    @Dependent
    public static class AtLeastTooLong {
        @Locked(value = "a", ttl = "PT5S", atLeast = "PT10S")
        public void work() {}
    }

    @Dependent
    public static class MaxHoldTooShort {
        @Locked(value = "a", maxHold = "PT5S", atLeast = "PT10S")
        public void work() {}
    }

    @Dependent
    public static class WaitToFail {
        @Locked(value = "a", onBusy = OnBusy.FAIL, waitTimeout = "PT1S")
        public void work() {}
    }

    @Dependent
    public static class SkipNumber {
        @Locked(value = "a", onBusy = OnBusy.SKIP)
        public int work() {
            return 1;
        }
    }

    @Dependent
    public static class SkipStage {
        @Locked(value = "a", onBusy = OnBusy.SKIP)
        public CompletionStage<Optional<String>> work() {
            return CompletableFuture.completedStage(Optional.empty());
        }
    }

    @Dependent
    public static class InterruptStage {
        @Locked(value = "a", onLoss = OnLoss.INTERRUPT)
        public CompletionStage<String> work() {
            return CompletableFuture.completedStage("");
        }
    }

    @Dependent
    public static class ContinueInTransaction {
        @Locked(value = "a", onLoss = OnLoss.CONTINUE, scope = LockScope.TRANSACTION)
        public void work() {}
    }
}
