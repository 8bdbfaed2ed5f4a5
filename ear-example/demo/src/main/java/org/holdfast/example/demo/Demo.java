// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockSettings;
import org.holdfast.example.demo.action.DemoActions;
import org.holdfast.example.demo.process.ShopClient;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoState;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.Journal;
import org.holdfast.example.demo.watch.LockHistory;
import org.holdfast.example.demo.watch.LockWatch;
import org.holdfast.example.demo.watch.NodeWatch;
import org.holdfast.example.demo.watch.ServerWatch;
import org.holdfast.example.demo.web.PageServer;

/** The processes, what looks at them, and the page. */
final class Demo implements AutoCloseable {

    /** As the adapter of the servers has it, in holdfast.cli: all processes must agree on the longest TTL. */
    private static final long TTL_MILLIS = 5_000;

    /** The page shows what nodes do, and not that a machine on which all of this runs is busy for a moment. */
    private static final long NODE_TIMEOUT_MILLIS = 500;

    private static final Duration READY_TIMEOUT = Duration.ofMinutes(3);
    private static final int STOCK = 100;

    private final DemoOptions options;
    private final Clock clock = new Clock();
    private final Journal journal = new Journal(clock);
    private final LockHistory history = new LockHistory(DemoActions.LOCK, clock);
    private final ShopClient client = new ShopClient();
    private final Processes processes = new Processes();
    private final Leftovers leftovers;
    private final List<ServerWatch> serverWatches = new ArrayList<>();
    private DirectoryLock directory;
    private LockConnectionFactory locks;
    private NodeWatch nodeWatch;
    private LockWatch lockWatch;
    private Watches watches;
    private DemoActions actions;
    private PageServer page;
    private volatile boolean ending;

    Demo(DemoOptions options) {
        this.options = options;
        this.leftovers = new Leftovers(options.directory());
    }

    /** Starts everything, and returns when the shop answers on all servers. What fails leaves the rest to close. */
    void start() throws IOException, InterruptedException {
        synchronized (this) {
            directory = DirectoryLock.take(options.directory());
        }
        int ended = leftovers.end();
        if (ended > 0) {
            System.out.println("Ended " + ended + " processes of an earlier demo that was killed");
        }
        Ports.requireFree(options.httpPort(), options.servers());
        processes.start(options, leftovers::note);
        watch();
        synchronized (this) {
            actions = new DemoActions(processes.nodes(), processes.servers(), client, lockWatch, clock, journal);
            page = new PageServer(options.httpPort(), () -> state().toJson(), actions, options.readOnly());
        }
        awaitServers();
    }

    private synchronized void watch() {
        locks = Holdfast.connect(LockSettings.of(processes.uris())
                .ttl(Duration.ofMillis(TTL_MILLIS))
                .maxLeaseTtl(Duration.ofMillis(TTL_MILLIS))
                .nodeTimeout(Duration.ofMillis(NODE_TIMEOUT_MILLIS)));
        nodeWatch = new NodeWatch(locks, processes.nodes(), clock, journal);
        lockWatch = new LockWatch(locks, DemoActions.LOCK, processes.servers(), quorum(), TTL_MILLIS, history);
        List<Watches.Look> looks = new ArrayList<>(List.of(nodeWatch::look, lockWatch::look));
        for (ShopServer server : processes.servers()) {
            ServerWatch watch = new ServerWatch(server, client, history, journal);
            serverWatches.add(watch);
            looks.add(watch::look);
        }
        watches = new Watches(journal, looks);
    }

    private int quorum() {
        return processes.nodes().size() / 2 + 1;
    }

    private void awaitServers() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        for (ShopServer server : processes.servers()) {
            while (server.state() == ProcessState.STARTING) {
                if (System.nanoTime() - begun > READY_TIMEOUT.toNanos()) {
                    throw new IOException(server.name() + " did not come up in time; its log is " + server.log());
                }
                TimeUnit.MILLISECONDS.sleep(100); // another process: there is nothing to be notified by
            }
            if (server.state() != ProcessState.RUNNING) {
                throw new IOException(server.name() + " did not come up; its log is " + server.log());
            }
        }
        fillShelf();
    }

    /** The first lock waits until the nodes, which are new, vote. */
    private void fillShelf() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        ShopClient.Answer answer;
        do {
            answer = client.post(
                    processes.servers().get(0),
                    "stock/" + DemoActions.SKU + "?quantity=" + STOCK,
                    Duration.ofSeconds(20));
        } while (answer.status() != 200 && System.nanoTime() - begun < READY_TIMEOUT.toNanos());
        if (answer.status() != 200) {
            throw new IOException("the shelf could not be filled: " + answer);
        }
    }

    DemoState state() {
        List<DemoState.Server> servers =
                serverWatches.stream().map(ServerWatch::view).toList();
        return new DemoState(
                options.readOnly(),
                clock.now(),
                nodeWatch.nodes(),
                quorum(),
                servers,
                new DemoState.Lock(
                        DemoActions.LOCK,
                        lockWatch.holder(),
                        servers.stream()
                                .mapToLong(server -> server.waiting() == null ? 0 : server.waiting())
                                .sum()),
                history.leases(),
                actions.runs(),
                history.job(),
                actions.staleWrite(),
                journal.events());
    }

    Processes processes() {
        return processes;
    }

    String url() {
        return "http://localhost:" + options.httpPort() + "/";
    }

    /** Returns whether the demo ends, so that what fails now is no failure. */
    boolean isEnding() {
        return ending;
    }

    /** Ends everything. Returns when no process is left. */
    @Override
    public void close() {
        ending = true;
        synchronized (this) {
            closeQuietly(page);
            closeQuietly(actions);
            closeQuietly(watches);
        }
        processes.close();
        synchronized (this) {
            closeQuietly(locks);
            closeQuietly(directory);
        }
    }

    private static void closeQuietly(AutoCloseable part) {
        try {
            if (part != null) {
                part.close();
            }
        } catch (Exception e) {
            System.err.println("the demo ends all the same: " + e);
        }
    }
}
