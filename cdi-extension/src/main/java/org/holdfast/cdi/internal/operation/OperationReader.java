// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.operation;

import jakarta.enterprise.inject.spi.AnnotatedMethod;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.OnLoss;
import org.holdfast.cdi.internal.name.NameTemplate;
import org.holdfast.cdi.internal.name.Parameters;

/** Makes an operation of an annotated method, or says all that is wrong with it. */
public final class OperationReader {

    private final Configuration configuration;

    public OperationReader(Configuration configuration) {
        this.configuration = configuration;
    }

    /**
     * @param types of the bean class
     * @throws IllegalArgumentException if a member of the annotation is not valid, or does not go with another
     */
    public LockedOperation read(TypeArguments types, AnnotatedMethod<?> annotated, Locked locked) {
        Method method = annotated.getJavaMember();
        AnnotationValues members = new AnnotationValues(configuration, types.type(), method.getName());
        LockedOperation operation = new LockedOperation(
                method,
                MethodResult.of(types.resultOf(method)),
                names(annotated, locked, members),
                members.choice("mode", locked.mode(), EnumSet.complementOf(EnumSet.of(LockMode.PERMIT))),
                members.flag("fair", locked.fair()),
                times(locked, members),
                members.choice("scope", locked.scope(), EnumSet.allOf(LockScope.class)),
                members.choice("onBusy", locked.onBusy(), EnumSet.allOf(OnBusy.class)),
                members.choice("onLoss", locked.onLoss(), EnumSet.allOf(OnLoss.class)),
                members.choice("release", locked.release(), EnumSet.allOf(Release.class)),
                members.text("factory", locked.factory()));
        checkShape(operation, members);
        checkTimes(operation, locked, members);
        checkResult(operation, members);
        if (!members.faults().isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", members.faults()));
        }
        return operation;
    }

    private static List<NameTemplate> names(AnnotatedMethod<?> annotated, Locked locked, AnnotationValues members) {
        List<String> sources = Arrays.asList(locked.value());
        members.refuseIf(
                sources.isEmpty() || sources.size() > LockRequest.MAX_NAMES,
                "value must have 1 to " + LockRequest.MAX_NAMES + " names, had " + sources.size());
        members.refuseIf(
                new HashSet<>(sources).size() < sources.size(), "value must have each name once, was " + sources);
        List<NameTemplate> names = new ArrayList<>();
        try {
            Parameters parameters = Parameters.of(annotated);
            for (String source : sources) {
                names.add(NameTemplate.parse(source, parameters));
            }
        } catch (IllegalArgumentException e) {
            members.refuse(Objects.toString(e.getMessage(), e.toString()));
        }
        return names;
    }

    private static LockedOperation.Times times(Locked locked, AnnotationValues members) {
        return new LockedOperation.Times(
                members.duration("waitTimeout", locked.waitTimeout(), Duration.ZERO),
                members.duration("ttl", locked.ttl(), LockRequest.MIN_TTL),
                members.duration("maxHold", locked.maxHold(), LockRequest.MIN_TTL),
                members.duration("atLeast", locked.atLeast(), LockRequest.MIN_TTL));
    }

    private static void checkShape(LockedOperation operation, AnnotationValues members) {
        boolean several = operation.names().size() > 1;
        members.refuseIf(
                several && operation.mode() != LockMode.EXCLUSIVE,
                "several names are locked in the mode EXCLUSIVE, was " + operation.mode());
        members.refuseIf(
                several && operation.fair(),
                "several names are not locked in order of arrival: fair must be" + " false, was true");
        members.refuseIf(
                operation.times().atLeast().isPresent() && operation.mode() != LockMode.EXCLUSIVE,
                "atLeast is for the mode EXCLUSIVE, was " + operation.mode());
    }

    private static void checkTimes(LockedOperation operation, Locked locked, AnnotationValues members) {
        LockedOperation.Times times = operation.times();
        checkCovers("ttl", times.ttl(), times, members);
        checkCovers("maxHold", times.maxHold(), times, members);
        members.refuseIf(
                operation.onBusy() != OnBusy.WAIT && members.isOfTheMethod("waitTimeout", locked.waitTimeout()),
                "waitTimeout" + members.whereOfTheMethod("waitTimeout") + " is for onBusy = WAIT, was "
                        + operation.onBusy() + members.where("onBusy"));
    }

    private static void checkCovers(
            String member, Optional<Duration> value, LockedOperation.Times times, AnnotationValues members) {
        if (value.isPresent() && times.atLeast().isPresent()) {
            Duration least = times.atLeast().get();
            members.refuseIf(
                    value.get().compareTo(least) < 0,
                    member + " must not be less than atLeast, which is " + least + ", was " + value.get());
        }
    }

    private static void checkResult(LockedOperation operation, AnnotationValues members) {
        String type = operation.method().getReturnType().getTypeName();
        members.refuseIf(
                operation.onBusy() == OnBusy.SKIP && !operation.result().canBeSkipped(),
                "onBusy = SKIP is for methods that return void, Optional or boolean, was " + type);
        members.refuseIf(
                operation.result() == MethodResult.PUBLISHER
                        && operation.times().maxHold().isEmpty(),
                "a method that returns a Flow.Publisher must have maxHold: one without a subscriber would keep its"
                        + " lock for ever");
        members.refuseIf(
                operation.onLoss() == OnLoss.INTERRUPT && operation.goesOn(),
                "onLoss = INTERRUPT is for methods whose thread does the work, returns " + type);
        members.refuseIf(
                operation.onLoss() == OnLoss.CONTINUE && operation.isOfTransaction(),
                "onLoss = CONTINUE needs scope = INVOCATION, was TRANSACTION: no transaction that keeps a lock commits"
                        + " without it");
    }
}
