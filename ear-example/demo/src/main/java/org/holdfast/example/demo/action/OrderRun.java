// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.holdfast.example.demo.process.ShopClient;
import org.holdfast.example.demo.process.ShopClient.Answer;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.DemoState.ProcessState;
import org.holdfast.example.demo.state.DemoState.Run;
import org.holdfast.example.demo.state.DemoState.RunState;

/** Sets the stock, places orders by customers who do not wait for each other, and compares. It is run once. */
final class OrderRun {

    static final int ORDERS = 300;
    static final int CUSTOMERS = 32;
    static final int INITIAL = 100;

    /** An order waits for its lock for 5 s. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(20);

    private static final Duration STOCK_TIMEOUT = Duration.ofSeconds(5);

    /** Without a majority of the nodes, orders fail by their wait timeout: no customer begins one after this. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long BETWEEN_LOOKS_MILLIS = 200;

    private final String orderPath;
    private final String sku;
    private final List<ShopServer> servers;
    private final ShopClient client;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger sold = new AtomicInteger();
    private final AtomicInteger soldOut = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final long start = System.nanoTime();
    private volatile long end;
    private volatile RunState state = RunState.RUNNING;
    private volatile Integer stock;
    private volatile Integer oversold;
    private volatile String problem;

    /** @param orderPath where orders are placed, below {@code /shop/} */
    OrderRun(String orderPath, String sku, List<ShopServer> servers, ShopClient client) {
        this.orderPath = orderPath;
        this.sku = sku;
        this.servers = servers;
        this.client = client;
    }

    /** Returns what a run is before the first one. */
    static Run idle() {
        return new Run(RunState.IDLE, ORDERS, 0, CUSTOMERS, INITIAL, 0, 0, 0, null, null, 0, null);
    }

    /** Runs to the end. */
    void run() throws InterruptedException {
        try {
            Answer stocked = client.post(server(0), "stock/" + sku + "?quantity=" + INITIAL, ANSWER_TIMEOUT);
            if (stocked.status() == 200) {
                stock = INITIAL;
                placeOrders();
                compare();
            } else {
                problem = "the stock could not be set: " + stocked;
            }
        } catch (IOException e) {
            problem = e.getMessage();
        } finally {
            end = System.nanoTime();
            state = RunState.DONE;
        }
    }

    /** Alternates; a server that does not run gets no orders. */
    private ShopServer server(int number) throws IOException {
        List<ShopServer> running = servers.stream()
                .filter(server -> server.state() == ProcessState.RUNNING)
                .toList();
        if (running.isEmpty()) {
            throw new IOException("no server is running");
        }
        return running.get(number % running.size());
    }

    private void placeOrders() throws InterruptedException {
        CountDownLatch customers = new CountDownLatch(CUSTOMERS);
        Thread[] threads = new Thread[CUSTOMERS];
        for (int i = 0; i < CUSTOMERS; i++) {
            threads[i] = new Thread(
                    () -> {
                        try {
                            order();
                        } finally {
                            customers.countDown();
                        }
                    },
                    "customer-" + i);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        try {
            while (!customers.await(BETWEEN_LOOKS_MILLIS, TimeUnit.MILLISECONDS)) {
                lookAtStock();
            }
        } finally {
            for (Thread thread : threads) {
                thread.interrupt(); // only if this thread was interrupted are there any left
            }
        }
    }

    private void order() {
        int number = begun.getAndIncrement();
        while (number < ORDERS && System.nanoTime() - start < LONGEST_NANOS) {
            try {
                count(client.post(server(number), orderPath + "?sku=" + sku, ANSWER_TIMEOUT));
            } catch (IOException e) {
                fail(e.getMessage());
            } catch (InterruptedException e) {
                return; // the demo is ending
            }
            number = begun.getAndIncrement();
        }
    }

    private void count(Answer answer) {
        switch (answer.status()) {
            case 201 -> sold.incrementAndGet();
            case 409 -> soldOut.incrementAndGet();
            default -> fail(answer.toString());
        }
    }

    private void fail(String why) {
        failed.incrementAndGet();
        problem = why;
    }

    /** Returns whether the stock could be read. */
    private boolean lookAtStock() throws InterruptedException {
        try {
            Answer answer = client.get(server(0), "stock/" + sku, STOCK_TIMEOUT);
            if (answer.status() == 200) {
                stock = Integer.valueOf(answer.body().strip());
                return true;
            }
        } catch (IOException e) {
            // the next look may find it
        }
        return false;
    }

    /** An order that got no answer may have been sold: then more is gone than was sold, which is no overselling. */
    private void compare() throws InterruptedException {
        if (!lookAtStock()) {
            problem = "the stock could not be read at the end";
            return;
        }
        oversold = Math.max(0, sold.get() - (INITIAL - stock));
        if (placed() < ORDERS && problem == null) {
            problem = "ended after " + TimeUnit.NANOSECONDS.toSeconds(LONGEST_NANOS) + " s";
        }
    }

    private int placed() {
        return sold.get() + soldOut.get() + failed.get();
    }

    Run view() {
        boolean done = state == RunState.DONE;
        return new Run(
                state,
                ORDERS,
                placed(),
                CUSTOMERS,
                INITIAL,
                sold.get(),
                soldOut.get(),
                failed.get(),
                stock,
                oversold,
                TimeUnit.NANOSECONDS.toMillis((done ? end : System.nanoTime()) - start),
                problem);
    }
}
