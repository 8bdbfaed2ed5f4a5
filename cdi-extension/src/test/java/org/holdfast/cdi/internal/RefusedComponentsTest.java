// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.reactivex.SingleSource;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.sse.SseEventSink;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Methods that servers call where no interceptor is, or whose work continues: the application is not deployed. */
class RefusedComponentsTest {

    private static void deploy(Extension extension, Class<?>... beans) {
        try (WeldContainer container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addExtension(extension)
                .addBeanClasses(beans)
                .initialize()) {
            container.select(beans[0]).get();
        }
    }

    private static void deploy(Class<?>... beans) {
        deploy(new Extension() {}, beans);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void deployment_isRefused(Class<?> bean, String... words) {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(bean))
                .withMessageContainingAll(words);
    }

    private static Arguments bean(Class<?> bean, String... words) {
        return arguments(bean, words);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                bean(Getting.class, "Getting would run [doGet] without its lock", "service(ServletRequest"),
                bean(Serving.class, "Serving would run [service] without its lock"),
                bean(LockedServlet.class, "LockedServlet would run [doPost, doPut] without its lock"),
                bean(Filtering.class, "Filtering would run [doFilter] without its lock", "doFilter(ServletRequest"),
                bean(StaticObserver.class, "on(java.lang.String)", "would run without its lock"),
                bean(StaticProducer.class, "produce()", "would run without its lock"),
                bean(StereotypeOnMethod.class, "work()", "a stereotype has no effect on a method"),
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
                bean(FuturesOfAnAncestor.class, "work()", "java.util.List with java.util.concurrent.Future in it"),
                bean(Inheriting.class, "Inheriting would run", "work()", "on a superclass that is not @Inherited"),
                bean(Overriding.class, "Overriding would run", "work()", "on a superclass that is not @Inherited"));
    }

    @Test
    void servlet_whosePublicServiceIsLocked_isAccepted() {
        deploy(ServingPublicly.class);
    }

    @Test
    void interceptor_ofTheApplication_isRefused() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Plain.class, LockedAroundInvoke.class))
                .withMessageContainingAll("LockedAroundInvoke", "would run without its lock", "interceptors are not");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Plain.class, LockedInterceptor.class))
                .withMessageContainingAll("LockedInterceptor", "would run without its lock", "interceptors are not");
    }

    /** Registers the same class once more, with a lock of its own. */
    public record Twice(String lock) implements Extension {
        void add(@Observes BeforeBeanDiscovery event, BeanManager beans) {
            event.addAnnotatedType(Plain.class, "again").methods().forEach(method -> method.removeAll()
                    .add(Locked.Literal.of(lock)));
        }
    }

    @Test
    void classRegisteredTwice_withTwoLocks_isRefused() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(new Twice("other"), Serving2.class, Plain.class))
                .withMessageContainingAll("Plain.work()", "two locks", "plain", "other");
        deploy(new Twice("plain"), Serving2.class, Plain.class);
    }

    @Dependent
    public static class Serving2 {}

    @Dependent
    public static class Plain {
        @Audited
        @Locked("plain")
        public void work() {}
    }

    @Dependent
    public static class Getting extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    public static class Serving extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    public static class ServingPublicly extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        public void service(jakarta.servlet.ServletRequest request, jakarta.servlet.ServletResponse response) {}
    }

    public abstract static class Posting extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        public void doPost(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    @Locked("a")
    public static class LockedServlet extends Posting {
        private static final long serialVersionUID = 1L;

        @Override
        public void doPut(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    public static class Filtering extends HttpFilter {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain) {}
    }

    @Dependent
    @Locked("a")
    public static class StaticObserver {
        static void on(@Observes String event) {}
    }

    @Dependent
    @Locked("a")
    public static class StaticProducer {
        @Produces
        static String produce() {
            return "";
        }
    }

    @Locked("stereotyped")
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Exclusive {}

    @Dependent
    public static class StereotypeOnMethod {
        @Exclusive
        public void work() {}
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

    /** Its subclasses do not inherit it. */
    @Exclusive
    public static class Parent {
        public void work() {}

        private void internal() {}

        @PostConstruct
        public void begin() {}
    }

    @Dependent
    public static class Inheriting extends Parent {}

    @Dependent
    public static class Overriding extends Parent {
        @Override
        public void work() {}
    }

    @Dependent
    @Exclusive
    public static class Repeating extends Parent {}

    @Dependent
    public static class LockingItself extends Parent {
        @Override
        @Locked("own")
        public void work() {}
    }

    @Test
    void stereotypeOfASuperclass_whereTheBeanHasALockItself_isAccepted() {
        deploy(Repeating.class, LockingItself.class);
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Audited {}

    @Audited
    @Interceptor
    @Priority(1)
    public static class LockedAroundInvoke {
        @Locked("a")
        @AroundInvoke
        Object around(InvocationContext context) throws Exception {
            return context.proceed();
        }
    }

    @Locked("a")
    @Audited
    @Interceptor
    @Priority(1)
    public static class LockedInterceptor {
        @AroundInvoke
        Object around(InvocationContext context) throws Exception {
            return context.proceed();
        }
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
