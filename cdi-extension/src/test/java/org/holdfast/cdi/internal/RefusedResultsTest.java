// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import io.reactivex.SingleSource;
import jakarta.enterprise.context.Dependent;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.sse.SseEventSink;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** Methods whose work goes on after they have returned: the application is not deployed. */
class RefusedResultsTest extends RefusedBeans {

    static Stream<Arguments> refused() {
        return Stream.of(
                bean(Suspending.class, "work(", "jakarta.ws.rs.container.AsyncResponse", "CompletionStage"),
                bean(SendingEvents.class, "work(", "jakarta.ws.rs.sse.SseEventSink", "CompletionStage"),
                bean(StreamingOut.class, "work()", "jakarta.ws.rs.core.StreamingOutput", "CompletionStage"),
                bean(SuspendingInKotlin.class, "work(", "kotlin.coroutines.Continuation", "CompletionStage"),
                bean(Single.class, "work()", "io.reactivex.SingleSource", "CompletionStage"),
                bean(Streaming.class, "work()", "java.util.stream.Stream", "Flow.Publisher"),
                bean(StreamingNumbers.class, "work()", "java.util.stream.IntStream", "Flow.Publisher"),
                bean(SeveralFutures.class, "work()", "java.util.List with java.util.concurrent.Future in it"),
                bean(
                        ArrayOfStages.class,
                        "work()",
                        "CompletionStage[] with java.util.concurrent.CompletionStage in it"),
                bean(MapOfStages.class, "work()", "java.util.Map with java.util.concurrent.CompletableFuture in it"),
                bean(StageOfStreams.class, "work()", "java.util.stream.Stream in it"),
                bean(FuturesOfAnAncestor.class, "work()", "java.util.List with java.util.concurrent.Future in it"));
    }

    @Dependent
    public static class Suspending {
        @Locked("a")
        public void work(@Suspended AsyncResponse response) {}
    }

    @Dependent
    public static class SendingEvents {
        @Locked("a")
        public void work(SseEventSink sink) {}
    }

    @Dependent
    public static class StreamingOut {
        @Locked("a")
        public StreamingOutput work() {
            return output -> {};
        }
    }

    @Dependent
    public static class Streaming {
        @Locked("a")
        public Stream<String> work() {
            return Stream.of();
        }
    }

    @Dependent
    @Locked("a")
    public static class StreamingNumbers {
        public IntStream work() {
            return IntStream.of();
        }
    }

    @Dependent
    public static class SeveralFutures {
        @Locked("a")
        public List<? extends Future<String>> work() {
            return List.of();
        }
    }

    @Dependent
    public static class ArrayOfStages {
        @Locked("a")
        public CompletionStage<?>[] work() {
            return new CompletionStage<?>[0];
        }
    }

    @Dependent
    public static class MapOfStages {
        @Locked("a")
        public Map<String, List<CompletableFuture<String>>> work() {
            return Map.of();
        }
    }

    @Dependent
    public static class StageOfStreams {
        @Locked("a")
        public CompletionStage<Stream<String>> work() {
            return new CompletableFuture<>();
        }
    }

    public static class SeveralOf<T> {
        @Locked("a")
        public List<T> work() {
            return List.of();
        }
    }

    @Dependent
    public static class FuturesOfAnAncestor extends SeveralOf<Future<String>> {}

    /** Its values are there when the method returns, and its bound names itself. */
    @Dependent
    public static class SeveralValues {
        @Locked("a")
        public <T extends Comparable<T>> Map<T, List<? super T>[]> work() {
            return Map.of();
        }
    }

    @Test
    void result_ofSeveralValues_isAccepted() {
        deploy(SeveralValues.class);
    }

    /** As the compiler of Kotlin makes a suspending function. */
    @Dependent
    public static class SuspendingInKotlin {
        @Locked("a")
        public Object work(Continuation<String> continuation) {
            return null;
        }
    }

    @Dependent
    public static class Single {
        @Locked("a")
        public SingleSource<String> work() {
            return null;
        }
    }
}
