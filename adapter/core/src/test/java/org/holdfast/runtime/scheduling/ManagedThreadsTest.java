// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.scheduling;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.holdfast.runtime.SystemTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What servers do with the threads of their ManagedThreadFactory, seen on them, and what else they might do. */
@Timeout(30)
class ManagedThreadsTest {

    private static final String NAME = "container-";

    /** Has the name and the context of the thread that asks for a thread, as containers give it. */
    private static final InheritableThreadLocal<String> CONTEXT = new InheritableThreadLocal<>();

    private final List<Thread> made = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<Thread> ran = new LinkedBlockingQueue<>();
    private volatile ThreadFactory behaviour = this::sound;
    private final StandaloneScheduling scheduling =
            new StandaloneScheduling(new SystemTime(), task -> behaviour.newThread(task));

    @AfterEach
    void close() {
        scheduling.close();
        CONTEXT.remove();
        await("undeploy leaves none")
                .untilAsserted(
                        () -> assertThat(made.stream().filter(Thread::isAlive)).isEmpty());
    }

    private Thread sound(Runnable task) {
        Thread thread = new Thread(task, NAME + made.size());
        made.add(thread);
        return thread;
    }

    private Thread silent(Runnable task) {
        return sound(() -> {});
    }

    private static boolean isOfTheContainer(Thread thread) {
        return thread.getName().startsWith(NAME);
    }

    private void begin() {
        scheduling.repeat(() -> {
            ran.add(Thread.currentThread());
            scheduling.within(0);
        });
    }

    /** Waits until the renewal has moved to a thread of the container: the maker works then. */
    private void awaitContainer() throws InterruptedException {
        while (!isOfTheContainer(ranNext())) {
            // until then a thread of ours stands in
        }
    }

    private Thread ranNext() throws InterruptedException {
        Thread next = ran.poll(5, SECONDS);
        assertThat(next).as("the repeated task runs").isNotNull();
        return next;
    }

    private Thread runner(Consumer<Runnable> lane) throws InterruptedException {
        LinkedBlockingQueue<Thread> runner = new LinkedBlockingQueue<>();
        lane.accept(() -> runner.add(Thread.currentThread()));
        Thread found = runner.poll(5, SECONDS);
        assertThat(found).as("the task runs").isNotNull();
        return found;
    }

    private List<Thread> runners() throws InterruptedException {
        return List.of(runner(scheduling::execute), runner(scheduling::runApplication), runner(scheduling::runLong));
    }

    @Test
    void container_thatMakesThreads_hasAllOfThem() throws Exception {
        begin();
        awaitContainer();
        assertThat(runners()).allMatch(ManagedThreadsTest::isOfTheContainer).allMatch(Thread::isDaemon);
        CountDownLatch moved = new CountDownLatch(1);
        DueMoment due = new DueMoment(new SystemTime());
        Pulse pulse = new Pulse(due, () -> {
            if (isOfTheContainer(Thread.currentThread())) {
                moved.countDown();
            }
            due.within(0);
        });
        due.within(0);
        scheduling.keepRunning(pulse);
        assertThat(moved.await(5, SECONDS)).isTrue();
        pulse.close();
    }

    @Test
    void threads_haveTheContextOfTheThreadThatOpens_andNotThatOfACaller() throws Exception {
        CONTEXT.set("opener");
        begin();
        awaitContainer();
        CONTEXT.set("caller");
        LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
        scheduling.runApplication(() -> seen.add(CONTEXT.get()));
        assertThat(seen.poll(5, SECONDS)).isEqualTo("opener");
    }

    /** Payara, when the application has gone. */
    @Test
    void threads_thatEndWithoutHavingBegun_areReplaced() throws Exception {
        begin();
        awaitContainer();
        behaviour = this::silent;
        assertThat(runners()).noneMatch(ManagedThreadsTest::isOfTheContainer);
    }

    /** Payara, when an application is being undeployed: nothing that was accepted is lost. */
    @Test
    void tasks_acceptedBeforeTheClose_areRunThoughTheirThreadsEnd() throws Exception {
        begin();
        awaitContainer();
        behaviour = this::silent;
        LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
        scheduling.runApplication(() -> seen.add("loss"));
        scheduling.close();
        assertThat(seen.poll(5, SECONDS)).isEqualTo("loss");
    }

    @Test
    void container_whoseThreadsNeverBegin_leavesAllToOurs() throws Exception {
        behaviour = this::silent;
        begin();
        for (int run = 0; run < 20; run++) {
            assertThat(isOfTheContainer(ranNext())).isFalse();
        }
        assertThat(runners()).noneMatch(ManagedThreadsTest::isOfTheContainer);
    }

    /** Open Liberty, while the application starts. */
    @Test
    void container_whoseThreadsBeginLate_getsWhatLastsThen() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        behaviour = task -> sound(() -> {
            try {
                started.await();
            } catch (InterruptedException e) {
                return;
            }
            task.run();
        });
        begin();
        for (int run = 0; run < 20; run++) {
            assertThat(isOfTheContainer(ranNext())).isFalse();
        }
        assertThat(runners()).noneMatch(ManagedThreadsTest::isOfTheContainer);
        started.countDown();
        awaitContainer();
    }

    @Test
    void task_whoseThreadBeginsAfterAll_runsOnce() throws Exception {
        begin();
        awaitContainer();
        CountDownLatch late = new CountDownLatch(1);
        behaviour = task -> sound(() -> {
            try {
                late.await();
            } catch (InterruptedException e) {
                return;
            }
            task.run();
        });
        AtomicInteger runs = new AtomicInteger();
        runner(task -> scheduling.runLong(() -> {
            runs.incrementAndGet();
            task.run();
        }));
        late.countDown();
        await().until(() -> made.stream().filter(Thread::isAlive).count() <= 3);
        assertThat(runs).hasValue(1);
    }

    @Test
    void container_thatRefuses_leavesAllToOurs() throws Exception {
        begin();
        awaitContainer();
        behaviour = task -> {
            throw new IllegalStateException("the factory is stopped");
        };
        assertThat(runners()).noneMatch(ManagedThreadsTest::isOfTheContainer);
        behaviour = task -> null;
        assertThat(runner(scheduling::runLong)).matches(thread -> !isOfTheContainer(thread));
    }

    @Test
    void container_thatRefusesTheFirst_leavesAllToOurs() throws Exception {
        behaviour = task -> {
            throw new IllegalStateException("the factory is stopped");
        };
        begin();
        assertThat(isOfTheContainer(ranNext())).isFalse();
        assertThat(runners()).noneMatch(ManagedThreadsTest::isOfTheContainer);
    }

    @Test
    void container_thatHangs_costsOneCallerAMomentAndTheOthersNothing() throws Exception {
        begin();
        awaitContainer();
        CountDownLatch hangs = new CountDownLatch(1);
        behaviour = task -> {
            try {
                hangs.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return null;
        };
        assertThat(runners()).noneMatch(ManagedThreadsTest::isOfTheContainer);
        long begun = System.nanoTime();
        for (int call = 0; call < 20; call++) {
            runner(scheduling::runLong);
        }
        assertThat(System.nanoTime() - begun).isLessThan(20 * ManagedThreads.PATIENCE_NANOS);
        hangs.countDown();
        behaviour = this::sound;
        await().until(() -> isOfTheContainer(runner(scheduling::runLong)));
    }

    @Test
    void interrupts_byAContainerThatStops_endNothing() throws Exception {
        begin();
        awaitContainer();
        for (int time = 0; time < 20; time++) {
            made.forEach(Thread::interrupt);
            ran.clear();
            assertThat(isOfTheContainer(ranNext())).isTrue();
        }
        assertThat(runner(scheduling::runApplication)).matches(ManagedThreadsTest::isOfTheContainer);
    }
}
