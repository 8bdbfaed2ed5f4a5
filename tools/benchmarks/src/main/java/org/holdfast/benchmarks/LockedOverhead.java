// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LeaseScope;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.LockExtension;
import org.holdfast.testkit.RedisServers;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;

/**
 * What the annotation costs beyond the calls that it stands for.
 *
 * <p>The contestants take turns within one run. First the thread has the lock already, so that no round trip hides the
 * difference; then it takes it from one node.
 */
public final class LockedOverhead {

    private static final int WARM_UP = 40;
    private static final int TURNS = Integer.getInteger("turns", 100);
    private static final int CALLS = 1_000;

    private static LockConnectionFactory locks;

    private LockedOverhead() {}

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Intercepted {}

    /** What the container takes for itself. */
    @Intercepted
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 110)
    public static class Empty {
        @AroundInvoke
        Object proceed(InvocationContext context) throws Exception {
            return context.proceed();
        }
    }

    /** Returns its argument under a lock, which it comes by in several ways. */
    @ApplicationScoped
    public static class Work {

        public String byProgram(String sku) throws InterruptedException {
            LockRequest request = LockRequest.of("stock-" + sku).scope(LeaseScope.HOLDER);
            Lease lease;
            try (LockConnection connection = locks.getConnection()) {
                lease = connection.acquire(request);
            }
            try {
                return sku;
            } finally {
                lease.release();
            }
        }

        @Intercepted
        public String byProgramIntercepted(String sku) throws InterruptedException {
            return byProgram(sku);
        }

        @Locked("stock-lamp")
        public String literal(String sku) {
            return sku;
        }

        @Locked("stock-#{sku}")
        public String expression(String sku) {
            return sku;
        }
    }

    @ApplicationScoped
    public static class Factory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory factory() {
            return locks;
        }
    }

    private interface Call {
        Object run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        try (RedisServers redis = RedisServers.start(1, Path.of("target", "redis"))) {
            locks = Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF"));
            try (WeldContainer container = new Weld()
                    .disableDiscovery()
                    .addExtension(new LockExtension())
                    .addBeanClasses(Work.class, Factory.class, Empty.class)
                    .initialize()) {
                Work work = container.select(Work.class).get();
                Map<String, Call> contestants = new LinkedHashMap<>();
                contestants.put("by program", () -> work.byProgram("lamp"));
                contestants.put("by program, in an empty interceptor", () -> work.byProgramIntercepted("lamp"));
                contestants.put("@Locked(\"stock-lamp\")", () -> work.literal("lamp"));
                contestants.put("@Locked(\"stock-#{sku}\")", () -> work.expression("lamp"));
                System.out.println("| the lock | client | p50 µs | mean µs | beyond the first, p50 µs | p50 / first |");
                System.out.println("| --- | --- | --- | --- | --- | --- |");
                try (LockConnection connection = locks.getConnection()) {
                    connection.acquire("stock-lamp");
                    measure("is held already", contestants);
                }
                measure("is taken, 1 node", contestants);
            }
            locks.close();
        }
    }

    private static void measure(String lock, Map<String, Call> contestants) throws Exception {
        Map<String, List<long[]>> times = new LinkedHashMap<>();
        for (int turn = -WARM_UP; turn < TURNS; turn++) {
            for (Map.Entry<String, Call> contestant : contestants.entrySet()) {
                long[] nanos = turn(contestant.getValue());
                if (turn >= 0) {
                    times.computeIfAbsent(contestant.getKey(), name -> new ArrayList<>())
                            .add(nanos);
                }
            }
        }
        double first = 0;
        for (Map.Entry<String, List<long[]>> each : times.entrySet()) {
            long[] all = each.getValue().stream().flatMapToLong(Arrays::stream).toArray();
            double p50 = Contestants.percentile(all, 0.5);
            double mean = Arrays.stream(all).average().orElseThrow() / 1_000;
            first = first == 0 ? p50 : first;
            System.out.printf(
                    "| %s | %s | %.1f | %.1f | %.1f | %.2f |%n",
                    lock, each.getKey(), p50, mean, p50 - first, p50 / first);
        }
    }

    private static long[] turn(Call call) throws Exception {
        long[] nanos = new long[CALLS];
        for (int i = 0; i < CALLS; i++) {
            long begun = System.nanoTime();
            call.run();
            nanos[i] = System.nanoTime() - begun;
        }
        return nanos;
    }
}
