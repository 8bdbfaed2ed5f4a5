// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.holdfast.protocol.env.KeptInterrupt;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.guard.Terms;
import org.holdfast.protocol.guard.Witnesses;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.address.SentinelAddress;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A voter that is where a majority of its Sentinels says.
 *
 * <p>All Sentinels are asked at once, over a connection to each that stays open, by one thread at a time. {@link Terms}
 * decides what their answers are worth.
 */
final class SentinelLocator implements Locator {

    private final SentinelAddress address;
    private final NodeConnector connector;
    private final Terms terms;
    private final Time time;
    private final Consumer<Terms.Term> moved;

    /** Held by the thread that asks. */
    private final ReentrantLock asking = new ReentrantLock();

    private final List<SentinelLine> lines = new ArrayList<>();
    private @Nullable Selector selector;
    private boolean closed;
    private volatile String heard = "they were not asked yet";

    /** @param moved receives a term that has begun when another process has become the voter */
    SentinelLocator(
            SentinelAddress address, NodeConnector connector, Terms terms, Time time, Consumer<Terms.Term> moved) {
        this.address = address;
        this.connector = connector;
        this.terms = terms;
        this.time = time;
        this.moved = moved;
    }

    @Override
    public Place place(long deadline) {
        Optional<Terms.Term> known = terms.counting();
        if (known.isEmpty()) {
            ask(deadline);
            known = terms.counting();
        }
        Terms.Term term =
                known.orElseThrow(() -> new JedisConnectionException("its Sentinels do not say where it is: " + heard));
        return new Place(address.primary(HostPort.parse(term.place(), 0)), term.number());
    }

    @Override
    public @Nullable String whyOver(int term) {
        return terms.count(term) ? null : explain(term);
    }

    private String explain(int term) {
        Optional<Terms.Term> present = terms.current().filter(known -> known.number() != term);
        return present.isPresent()
                ? "its Sentinels name another primary by now: " + present.get().place()
                : "its Sentinels have not confirmed for "
                        + terms.age().map(Duration::toMillis).orElse(0L)
                        + " ms that it is the primary, so its votes do not count: " + heard;
    }

    @Override
    public String describePlace() {
        return terms.counting()
                .map(term -> " (its Sentinels name " + term.place() + ")")
                .orElse("");
    }

    @Override
    public Optional<NodeFacts.Appointment> appointment(int term) {
        Terms.Term present = terms.counting()
                .filter(known -> known.number() == term)
                .orElseThrow(() -> new JedisConnectionException(explain(term)));
        return Optional.of(new NodeFacts.Appointment(term, present.epoch(), terms.unsettledNanos(present)));
    }

    @Override
    public void confirm() {
        ask(connector.deadline());
    }

    /** Asks, unless another thread asks for so long that there is no time left. */
    private void ask(long deadline) {
        KeptInterrupt kept = KeptInterrupt.take(null); // a selector does not wait for an interrupted thread
        boolean another = false;
        try {
            if (!asking.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return;
            }
            try {
                another = isTimeLeft(deadline) && !closed && askAll(deadline);
            } finally {
                asking.unlock();
            }
        } catch (InterruptedException e) {
            kept = KeptInterrupt.taken(kept); // the caller finds out that it is not known
        } catch (IOException e) {
            throw connector.localFailure(e);
        } finally {
            KeptInterrupt.restore(KeptInterrupt.take(kept));
        }
        if (another) {
            tellOfMove();
        }
    }

    /** With little time left the Sentinels would seem to hang. */
    private boolean isTimeLeft(long deadline) {
        return deadline - System.nanoTime() >= connector.nodeTimeoutNanos() / 2;
    }

    private void tellOfMove() {
        Terms.Term term = terms.current().orElseThrow();
        if (term.number() > 1) {
            moved.accept(term);
        }
    }

    /** Returns whether another process has become the voter. */
    private boolean askAll(long deadline) throws IOException {
        long askedAt = time.nanoTime();
        long wall = time.epochMicros();
        Selector own = selector();
        lines.forEach(SentinelLine::begin);
        lines.forEach(SentinelLine::advance);
        long left = deadline - System.nanoTime();
        while (left > 0 && isWorthWaiting()) {
            own.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            left = deadline - System.nanoTime();
            for (SelectionKey key : own.selectedKeys()) {
                if (key.isValid()) {
                    lines.get((Integer) key.attachment()).read(Math.max(1, left));
                }
            }
            own.selectedKeys().clear();
            lines.forEach(SentinelLine::advance);
        }
        lines.forEach(SentinelLine::giveUp);
        List<Witnesses.Testimony> testimonies = testimonies();
        heard = describe(testimonies);
        return Witnesses.agree(lines.size(), testimonies)
                .filter(agreement -> terms.confirm(agreement, askedAt, wall))
                .isPresent();
    }

    private Selector selector() throws IOException {
        Selector known = selector;
        if (known == null) {
            known = Selector.open();
            selector = known;
            for (int index = 0; index < address.sentinels().size(); index++) {
                lines.add(new SentinelLine(index, address, connector, known));
            }
        }
        return known;
    }

    /** A Sentinel to which there is no connection is waited for only if it is needed. */
    private boolean isWorthWaiting() {
        return lines.stream().anyMatch(SentinelLine::isAwaited)
                || lines.stream().anyMatch(SentinelLine::isOpening)
                        && Witnesses.agree(lines.size(), testimonies()).isEmpty();
    }

    private List<Witnesses.Testimony> testimonies() {
        return lines.stream().flatMap(line -> line.testimony().stream()).toList();
    }

    private String describe(List<Witnesses.Testimony> testimonies) {
        int needed = Witnesses.needed(lines.size(), testimonies);
        String more =
                needed > lines.size() ? " (there are more Sentinels than the address names: name all of them)" : "";
        return needed + " must name the same primary in the same epoch" + more + "; "
                + lines.stream().map(SentinelLine::describe).collect(Collectors.joining("; "));
    }

    @Override
    public void close() {
        asking.lock();
        try {
            closed = true;
            lines.forEach(SentinelLine::close);
            if (selector != null) {
                selector.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            asking.unlock();
        }
    }
}
