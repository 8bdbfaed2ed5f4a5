// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.holdfast.LogLines;
import org.holdfast.protocol.env.Time;
import org.holdfast.runtime.scheduling.DueMoment;
import org.junit.jupiter.api.AfterEach;

/** A task on an executor in virtual time, which passes while the adapter's thread sleeps; both run what is due. */
abstract class TaskInVirtualTime {

    static final long MINUTE = 60_000;

    /** What ran, when and where: "120 managed". */
    final List<String> runs = new ArrayList<>();

    final LogLines log = LogLines.of("org.holdfast.connector");
    final Container container = new Container();
    Runnable task = () -> {};
    ManagedTask managed;
    private boolean onTheExecutor;
    private long nanos = Long.MAX_VALUE - MILLISECONDS.toNanos(5_000); // it overflows soon

    private final long begin = nanos;
    long wakeUps;

    private final List<Event> events = new ArrayList<>();

    private record Event(long at, Runnable action) {}

    private final Time virtual = new Time() {
        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public long epochMicros() {
            return 0;
        }

        @Override
        public Signal newSignal() {
            return new Signal() {
                private boolean raised;

                @Override
                public void raise() {
                    raised = true;
                }

                @Override
                public boolean await(long patience) {
                    wakeUps++;
                    long until = nanos + patience;
                    while (!raised && passTo(until)) {
                        // something has happened meanwhile
                    }
                    boolean was = raised;
                    raised = false;
                    return was;
                }
            };
        }
    };

    final DueMoment due = new DueMoment(virtual);

    /** An executor with one thread. */
    final class Container {

        record Scheduled(Runnable task, long at) {}

        final List<Scheduled> queue = new ArrayList<>();
        boolean standsStill;
        boolean rejects;
        boolean isGone;
        int most;

        private final ScheduledExecutorService service = (ScheduledExecutorService) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ScheduledExecutorService.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "schedule" -> add((Runnable) args[0], ((TimeUnit) args[2]).toNanos((Long) args[1]));
                    case "execute" -> add((Runnable) args[0], 0);
                    default -> throw new AssertionError(method);
                });

        private ScheduledFuture<?> add(Runnable runnable, long delay) {
            if (rejects) {
                throw new RejectedExecutionException("suspended");
            }
            if (isGone) {
                throw new NoClassDefFoundError("undeployed");
            }
            Scheduled scheduled = new Scheduled(runnable, nanos + delay);
            queue.add(scheduled);
            most = Math.max(most, queue.size());
            return (ScheduledFuture<?>) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {ScheduledFuture.class}, (proxy, method, args) -> {
                        assertThat(method.getName()).isEqualTo("cancel");
                        if (isGone) {
                            throw new NoClassDefFoundError("undeployed");
                        }
                        return queue.remove(scheduled);
                    });
        }

        private Event next() {
            return queue.stream()
                    .min(Comparator.comparingLong(scheduled -> scheduled.at() - begin))
                    .filter(scheduled -> !standsStill)
                    .map(scheduled -> new Event(Math.max(scheduled.at() - nanos, 0) + nanos, () -> {
                        queue.remove(scheduled);
                        onTheExecutor = true;
                        scheduled.task().run();
                        onTheExecutor = false;
                    }))
                    .orElse(null);
        }
    }

    /** Lets the next thing happen until then; returns false if there is none. */
    private boolean passTo(long until) {
        Event next = container.next();
        for (Event event : events) {
            next = next == null || event.at() - next.at() < 0 ? event : next;
        }
        if (next == null || next.at() - until > 0) {
            nanos += Math.max(0, until - nanos);
            return false;
        }
        nanos += Math.max(0, next.at() - nanos);
        events.remove(next);
        next.action().run();
        return true;
    }

    void at(long millis, Runnable action) {
        events.add(new Event(begin + nanos(millis), action));
    }

    static long nanos(long millis) {
        return MILLISECONDS.toNanos(millis);
    }

    long now() {
        return NANOSECONDS.toMillis(nanos - begin);
    }

    /** The whole process stands still. */
    void standStill(long millis) {
        nanos += nanos(millis);
    }

    /** Begins at once, and lets so much time pass. */
    void run(long millis) {
        due.within(0);
        managed = new ManagedTask(container.service, virtual, due, () -> {
            runs.add(now() + (onTheExecutor ? " managed" : " own"));
            task.run();
        });
        at(millis, managed::close);
        managed.run();
    }

    String ran() {
        return String.join(", ", runs);
    }

    @AfterEach
    void stop() {
        log.close();
    }

    List<Long> at(String where) {
        return runs.stream()
                .filter(ran -> ran.endsWith(where))
                .map(ran -> Long.parseLong(ran.substring(0, ran.indexOf(' '))))
                .toList();
    }
}
