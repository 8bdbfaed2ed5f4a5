// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.holdfast.cdi.internal.operation.MethodResult;
import org.holdfast.cdi.internal.operation.TypeArguments;

/** Methods that return before their work is done, in a way that does not show the interceptor when it is. */
final class UnfinishedWork {

    private static final List<Class<?>> LATER = List.of(CompletionStage.class, Future.class, Flow.Publisher.class);

    /** Results that are worked on when the method has returned. */
    private static final List<String> LAZY = List.of(
            "java.util.stream.BaseStream",
            "jakarta.ws.rs.core.StreamingOutput",
            "org.reactivestreams.Publisher",
            "io.smallrye.mutiny.Uni",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.ObservableSource",
            "io.reactivex.SingleSource",
            "io.reactivex.MaybeSource",
            "io.reactivex.CompletableSource",
            "io.vertx.core.Future",
            "kotlin.sequences.Sequence",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow");

    /** Parameters that a method has to answer by later. The last is that of each suspending function. */
    private static final List<String> ANSWERS = List.of(
            "jakarta.ws.rs.container.AsyncResponse",
            "jakarta.ws.rs.sse.SseEventSink",
            "kotlin.coroutines.Continuation");

    private UnfinishedWork() {}

    /**
     * Returns what is wrong with a method, for messages; empty if its lock can be held until its work is done.
     *
     * @param asynchronous whether the container runs the whole method, and its interceptors, on another thread
     */
    static Optional<String> of(Method method, TypeArguments types, boolean asynchronous) {
        Class<?> result = types.resultOf(method);
        Optional<String> answer = types.parametersOf(method).stream()
                .flatMap(parameter -> TypeNames.firstOf(parameter, ANSWERS).stream())
                .findFirst();
        if (answer.isPresent()) {
            return Optional.of(sentence(
                    "answers by a parameter of the type " + answer.get() + ", which it may do when it has returned"));
        }
        if (isUnfinished(result, asynchronous)) {
            return Optional.of(sentence("returns a " + result.getTypeName() + " before its work is done"));
        }
        return types.insideResultOf(method).stream()
                .filter(UnfinishedWork::isWorkedOn)
                .findFirst()
                .map(inside -> sentence("returns a " + result.getTypeName() + " with " + inside.getTypeName()
                        + " in it before the work of that is done"));
    }

    /** Inside of another result, nothing is waited for. */
    private static boolean isWorkedOn(Class<?> inside) {
        return LATER.stream().anyMatch(type -> type.isAssignableFrom(inside))
                || TypeNames.firstOf(inside, LAZY).isPresent();
    }

    private static boolean isUnfinished(Class<?> result, boolean asynchronous) {
        boolean later = LATER.stream().anyMatch(type -> type.isAssignableFrom(result));
        return later && !MethodResult.of(result).goesOn() && !asynchronous
                || TypeNames.firstOf(result, LAZY).isPresent();
    }

    private static String sentence(String what) {
        return "it " + what + ", and the lock would be released at the return. These types of a result keep the lock: "
                + "CompletionStage, CompletableFuture, Flow.Publisher";
    }
}
