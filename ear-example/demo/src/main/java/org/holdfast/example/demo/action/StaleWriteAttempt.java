// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.holdfast.example.demo.process.ShopClient;
import org.holdfast.example.demo.process.ShopClient.Answer;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.DemoState.Holder;
import org.holdfast.example.demo.state.DemoState.StaleWriteState;
import org.holdfast.example.demo.watch.LockWatch;

/** One attempt; see {@link StaleWriter}. */
final class StaleWriteAttempt {

    private static final String STOCK = "stock/" + DemoActions.SKU;
    private static final String ORDER = "orders?sku=" + DemoActions.SKU;
    private static final int INITIAL = 10;

    /** The writer pauses between its read and its write for so long; it is frozen before the half of it is over. */
    private static final int PAUSE_MILLIS = 2_000;

    private static final long FREEZE_AFTER_MILLIS = 500;
    private static final long POLL_MILLIS = 20;
    private static final long HOLDER_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long OTHER_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(90);

    private final ShopServer writer;
    private final ShopServer other;
    private final ShopClient client;
    private final LockWatch lock;
    private final StaleWriteStory story;

    StaleWriteAttempt(ShopServer writer, ShopServer other, ShopClient client, LockWatch lock, StaleWriteStory story) {
        this.writer = writer;
        this.other = other;
        this.client = client;
        this.lock = lock;
        this.story = story;
    }

    void run() throws IOException, InterruptedException {
        require(client.post(other, STOCK + "?quantity=" + INITIAL, TIMEOUT), 200, "the stock could not be set");
        CompletableFuture<Answer> write = orderSlowly();
        try {
            long token = awaitHolder(write).token();
            story.staleToken(token);
            story.step(writer.name() + " has the lock, with token " + token + ", has read that there are " + INITIAL
                    + ", and takes its time");
            TimeUnit.MILLISECONDS.sleep(FREEZE_AFTER_MILLIS); // it reads meanwhile
            writer.freeze();
            story.step(writer.name() + " is frozen while it has the lock: it renews nothing any more");
            sellOnOther();
            writer.thaw();
            story.step(writer.name() + " is thawed: it believes that it has the lock, and writes " + (INITIAL - 1));
            judge(answer(write));
        } finally {
            write.cancel(true);
        }
    }

    private CompletableFuture<Answer> orderSlowly() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return client.post(
                                writer, "orders-slow?sku=" + DemoActions.SKU + "&pause=" + PAUSE_MILLIS, LONG_TIMEOUT);
                    } catch (IOException e) {
                        return new Answer(0, e.getMessage());
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return new Answer(0, "interrupted");
                    }
                },
                StaleWriteAttempt::onThreadOfItsOwn);
    }

    private static void onThreadOfItsOwn(Runnable work) {
        Thread thread = new Thread(work, "stale-writer");
        thread.setDaemon(true);
        thread.start();
    }

    private Holder awaitHolder(CompletableFuture<Answer> write) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < HOLDER_NANOS && !write.isDone()) {
            Optional<Holder> holder =
                    lock.ask().filter(found -> Integer.valueOf(writer.index()).equals(found.server()));
            if (holder.isPresent()) {
                return holder.get();
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS); // other processes: there is nothing to be notified by
        }
        throw new IOException(writer.name() + " did not get the lock" + (write.isDone() ? ": " + write.join() : ""));
    }

    /** Each order waits for the lock for 5 s at the most, and the lease of the frozen server may last as long. */
    private void sellOnOther() throws IOException, InterruptedException {
        long begun = System.nanoTime();
        Answer sold = client.post(other, ORDER, TIMEOUT);
        while (sold.status() == 503 && System.nanoTime() - begun < OTHER_NANOS) {
            sold = client.post(other, ORDER, TIMEOUT);
        }
        require(sold, 201, other.name() + " could not sell");
        long token = Long.parseLong(
                client.get(other, STOCK + "/fence", TIMEOUT).body().strip());
        story.rowToken(token);
        story.step("the lease has ended, and " + other.name() + " sold one after "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) + " ms: the row has seen token " + token);
    }

    private static Answer answer(CompletableFuture<Answer> write) throws IOException, InterruptedException {
        try {
            return write.get(LONG_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the answer of the writer did not come: " + e, e);
        }
    }

    private void judge(Answer answer) throws IOException, InterruptedException {
        int left = Integer.parseInt(client.get(other, STOCK, TIMEOUT).body().strip());
        if (answer.status() == 201) {
            story.end(
                    StaleWriteState.ACCEPTED,
                    "the write was accepted, and the sale of " + other.name() + " is lost: that must not happen");
        } else if (answer.body().contains("was refused") && left == INITIAL - 1) {
            story.end(
                    StaleWriteState.REFUSED,
                    "the row refused the write: " + answer.body().strip());
        } else {
            throw new IOException("the writer answered " + answer + ", and " + left + " are left");
        }
    }

    private static void require(Answer answer, int status, String otherwise) throws IOException {
        if (answer.status() != status) {
            throw new IOException(otherwise + ": " + answer);
        }
    }
}
