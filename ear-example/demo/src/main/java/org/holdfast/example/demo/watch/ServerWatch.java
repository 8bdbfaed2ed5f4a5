// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.holdfast.example.demo.process.ShopClient;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.DemoEvent.Kind;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.DemoState.Server;
import org.holdfast.example.demo.state.Journal;

/** Asks one server how it is. {@link #look} is called by one thread. */
public final class ServerWatch {

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);
    private static final long START_NANOS = TimeUnit.MINUTES.toNanos(3);
    private static final long RATE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MICROS_PER_MILLI = 1_000.0;

    private final ShopServer server;
    private final ShopClient client;
    private final LockHistory history;
    private final Journal journal;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private volatile Map<String, Long> values = Map.of();
    private volatile Double rate;
    private ProcessState before = ProcessState.STOPPED;
    private long startingSince;

    /** How many orders a server had answered at a moment. */
    private record Sample(long at, long orders) {}

    public ServerWatch(ShopServer server, ShopClient client, LockHistory history, Journal journal) {
        this.server = server;
        this.client = client;
        this.history = history;
        this.journal = journal;
    }

    public void look() throws InterruptedException {
        ProcessState state = server.state();
        if (state == ProcessState.STARTING && before != ProcessState.STARTING) {
            startingSince = System.nanoTime();
        }
        if (state == ProcessState.STARTING || state == ProcessState.RUNNING) {
            ask();
        } else {
            silent();
        }
        giveUp(state);
        note(server.state());
    }

    private void ask() throws InterruptedException {
        long pid = server.pid();
        long sent = System.nanoTime();
        try {
            ShopClient.Answer answer = client.get(server, "status", ANSWER_TIMEOUT);
            if (answer.status() == 200) {
                take(ShopReport.parse(answer.body()).onClock(sent, System.nanoTime()), pid);
                return;
            }
        } catch (IOException e) {
            // the page shows that there are no numbers
        }
        silent();
    }

    private void take(ShopReport report, long pid) {
        server.answered();
        values = report.values();
        history.add(server.index(), pid, report);
        rate = rate(new Sample(report.values().get("now"), report.values().get("orders")));
    }

    private Double rate(Sample now) {
        if (!samples.isEmpty() && samples.getLast().orders() > now.orders()) {
            samples.clear(); // another process
        }
        samples.addLast(now);
        while (samples.size() > 2 && now.at() - samples.getFirst().at() > RATE_NANOS) {
            samples.removeFirst();
        }
        Sample first = samples.getFirst();
        long nanos = now.at() - first.at();
        return nanos == 0 ? 0.0 : Math.round((now.orders() - first.orders()) * 1e10 / nanos) / 10.0;
    }

    private void silent() {
        values = Map.of();
        rate = null;
        samples.clear();
        if (server.state() != ProcessState.RUNNING) {
            history.forget(server.index());
        }
    }

    private void giveUp(ProcessState state) {
        if (state == ProcessState.STARTING && (server.hasFailed() || System.nanoTime() - startingSince > START_NANOS)) {
            journal.bad(Kind.SERVER, server.name() + " did not come up; its log is " + server.log());
            server.kill();
        }
    }

    private void note(ProcessState now) {
        if (now == before) {
            return;
        }
        if (now == ProcessState.RUNNING && before == ProcessState.STARTING) {
            journal.info(Kind.SERVER, server.name() + " is up");
        } else if (now == ProcessState.STOPPED && before != ProcessState.STOPPED) {
            journal.bad(Kind.SERVER, server.name() + " has ended");
        }
        before = now;
    }

    /** Returns the server as it was seen last. */
    public Server view() {
        Map<String, Long> now = values;
        return new Server(
                server.index(),
                server.name(),
                server.url(),
                server.pid(),
                server.state(),
                now.get("held"),
                now.get("waiting"),
                millis(now.get("medianMicros")),
                millis(now.get("p99Micros")),
                rate);
    }

    private static Double millis(Long micros) {
        return micros == null ? null : Double.valueOf(micros / MICROS_PER_MILLI);
    }
}
