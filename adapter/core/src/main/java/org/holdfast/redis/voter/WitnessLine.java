// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.holdfast.redis.wire.Failures;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The connection to one witness, on which it is asked again and again. For one thread at a time.
 *
 * <p>It is opened on another thread: a witness that hangs must not delay the answers of the others.
 *
 * @param <T> what it answers
 */
final class WitnessLine<T> implements AutoCloseable {

    private static final String NO_PASSWORD = "NOAUTH";
    private static final String LATE = "no answer in time";

    private final int index;
    private final Witness<T> witness;
    private final NodeConnector connector;
    private final Selector selector;

    /** Null if no connection is being opened. */
    private @Nullable Opening opening;

    /** Why the last attempt to connect failed; empty if it did not. One that is under way may outlast the question. */
    private String refusal = "";

    private @Nullable NodeConnection connection;

    /** Whether it is entered with a password, as it has asked for one. */
    private boolean guarded;

    /** Whether the connection is one that the question before has left open: it may have been closed since. */
    private boolean isLeft;

    /** Whether a connection that could not be used is replaced by another one for this question. */
    private boolean isReplaced;

    private boolean asked;
    private final List<Object> replies = new ArrayList<>();
    private @Nullable T testimony;
    private String failure = "";

    /**
     * @param index under which the selector names it
     * @param selector wakes the thread that asks
     */
    WitnessLine(int index, Witness<T> witness, NodeConnector connector, Selector selector) {
        this.index = index;
        this.witness = witness;
        this.connector = connector;
        this.selector = selector;
    }

    /** A connection, or null and why there is none. */
    private record Opened(@Nullable NodeConnection connection, String failure) {}

    /** Opens a connection; one that comes too late is closed. */
    private final class Opening implements Runnable {

        private static final Opened GIVEN_UP = new Opened(null, "");
        private final AtomicReference<Opened> result = new AtomicReference<>();
        private final boolean withPassword = guarded;

        @Override
        public void run() {
            Opened opened;
            try {
                opened = new Opened(open(), "");
            } catch (RuntimeException | OutOfMemoryError e) {
                opened = new Opened(null, Failures.describe(e));
            }
            if (!result.compareAndSet(null, opened)) {
                abandon(opened);
            }
            selector.wakeup();
        }

        private NodeConnection open() {
            NodeConnection fresh = witness.open(connector, withPassword);
            fresh.boundEachAnswer();
            return fresh;
        }

        void giveUp() {
            Opened opened = result.getAndSet(GIVEN_UP);
            if (opened != null) {
                abandon(opened);
            }
        }

        private void abandon(Opened opened) {
            if (opened.connection() != null) {
                opened.connection().abandon();
            }
        }
    }

    /** Returns under which number the selector names it. */
    int index() {
        return index;
    }

    /** A question begins: what was answered before is forgotten. */
    void begin() {
        isLeft = connection != null;
        isReplaced = false;
        asked = false;
        replies.clear();
        testimony = null;
        failure = "";
        if (connection == null && opening == null) {
            startOpening();
        }
    }

    private void startOpening() {
        opening = new Opening();
        if (!connector.runElsewhere(opening)) {
            opening.run();
        }
    }

    /** Takes the connection if it is open by now, and sends the question if that was not sent. */
    void advance() {
        Opened opened = opening == null ? null : opening.result.get();
        if (opened != null) {
            opening = null;
            refusal = opened.failure();
            connection = opened.connection();
            if (connection == null) {
                refused(opened.failure());
                return;
            }
            connection.register(selector, index);
        }
        if (connection != null && !asked) {
            ask(connection);
        }
    }

    private void ask(NodeConnection open) {
        asked = true;
        try {
            witness.questions().forEach(open::sendCommand);
            open.push();
        } catch (RuntimeException e) {
            refused(Failures.describe(e));
        }
    }

    /** Reads what has come. */
    void read(long patienceNanos) {
        NodeConnection open = connection;
        if (open == null) {
            return;
        }
        try {
            do {
                replies.add(reply(open, patienceNanos));
            } while (open.hasBuffered());
            if (replies.size() >= witness.questions().size()) {
                understand();
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            refused(Failures.describe(e));
        }
    }

    /** Returns a reply, which may be an error, or that there is nothing. */
    private static Object reply(NodeConnection open, long patienceNanos) {
        try {
            return Optional.ofNullable(open.read(patienceNanos));
        } catch (JedisDataException e) {
            return e;
        }
    }

    private void understand() {
        if (!asked || replies.size() > witness.questions().size()) {
            throw new JedisDataException("it sent what was not asked for");
        }
        testimony = witness.understand(IntStream.range(0, replies.size())
                .mapToObj(this::value)
                .collect(Collectors.toCollection(ArrayList::new)));
    }

    private @Nullable Object value(int reply) {
        return replies.get(reply) instanceof Optional<?> value ? value.orElse(null) : replies.get(reply);
    }

    /**
     * A witness that asks for a password is asked once more, with one. So is a witness whose connection is closed by
     * now. An operator may close those to all witnesses at once: without this, the witnesses would answer one or two
     * questions later, and not all of them the same question.
     */
    private void refused(String reason) {
        boolean asksForPassword = reason.startsWith(NO_PASSWORD);
        boolean again = asksForPassword ? !guarded : isLeft;
        fail(asksForPassword ? witness.lacksPassword() + ": " + reason : reason);
        if (again) {
            guarded |= asksForPassword;
            isLeft = false;
            isReplaced = true;
            failure = "";
            asked = false;
            replies.clear();
            startOpening();
        }
    }

    private void fail(String reason) {
        failure = reason;
        close();
    }

    /** The time for an answer is over. A connection on which one is missing is of no more use. */
    void giveUp() {
        if (connection != null && isOpenQuestion()) {
            fail(LATE);
        }
    }

    private boolean isOpenQuestion() {
        return testimony == null && failure.isEmpty();
    }

    /** Returns whether an answer to the question is on its way. */
    boolean isAwaited() {
        return (connection != null || isReplaced && isOpening()) && isOpenQuestion();
    }

    /** Returns whether a connection is being opened. */
    boolean isOpening() {
        return opening != null;
    }

    /** Returns what it has answered; empty if it has not. */
    Optional<T> testimony() {
        return Optional.ofNullable(testimony);
    }

    /** Says what came of the question. */
    String describe() {
        return witness.place() + ": " + (testimony == null ? describeFailure() : witness.describe(testimony));
    }

    private String describeFailure() {
        if (!failure.isEmpty()) {
            return failure;
        }
        return refusal.isEmpty() ? LATE : LATE + "; the last attempt to connect: " + refusal;
    }

    @Override
    public void close() {
        if (opening != null) {
            opening.giveUp();
            opening = null;
        }
        if (connection != null) {
            connection.abandon();
            connection = null;
        }
    }
}
