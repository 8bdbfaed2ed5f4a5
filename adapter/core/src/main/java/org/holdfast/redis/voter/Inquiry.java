// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.holdfast.protocol.env.KeptInterrupt;
import org.holdfast.protocol.env.SureLock;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;

/**
 * Asks witnesses, all at once, over a connection to each that stays open. One thread asks at a time.
 *
 * @param <T> what they answer
 */
final class Inquiry<T> implements Hearing<T> {

    private final NodeConnector connector;

    /** Held by the thread that asks. */
    private final Lock asking = new SureLock();

    private final Map<HostPort, WitnessLine<T>> lines = new LinkedHashMap<>();
    private @Nullable Selector selector;
    private int opened;
    private boolean closed;
    private volatile String heard = "they were not asked yet";

    Inquiry(NodeConnector connector) {
        this.connector = connector;
    }

    @Override
    public void run(long deadline, Question question) {
        KeptInterrupt kept = KeptInterrupt.take(null); // a selector does not wait for an interrupted thread
        Runnable after = () -> {};
        try {
            if (!asking.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return;
            }
            try {
                if (isTimeLeft(deadline) && !closed) {
                    after = question.ask();
                }
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
        after.run();
    }

    /** With little time left the witnesses would seem to hang. */
    private boolean isTimeLeft(long deadline) {
        return deadline - System.nanoTime() >= connector.nodeTimeoutNanos() / 2;
    }

    @Override
    public List<T> ask(Collection<? extends Witness<T>> witnesses, long deadline, Predicate<List<T>> suffices)
            throws IOException {
        Selector own = selector();
        keep(witnesses, own);
        lines.values().forEach(WitnessLine::begin);
        lines.values().forEach(WitnessLine::advance);
        long left = deadline - System.nanoTime();
        while (left > 0 && isWorthWaiting(suffices)) {
            own.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
            left = deadline - System.nanoTime();
            for (SelectionKey key : own.selectedKeys()) {
                if (!key.channel().isOpen()) { // its close has left it, as without memory
                    key.cancel();
                } else if (key.isValid()) {
                    read((Integer) key.attachment(), Math.max(1, left));
                }
            }
            own.selectedKeys().clear();
            lines.values().forEach(WitnessLine::advance);
        }
        lines.values().forEach(WitnessLine::giveUp);
        heard = lines.values().stream().map(WitnessLine::describe).collect(Collectors.joining("; "));
        return testimonies();
    }

    private Selector selector() throws IOException {
        Selector known = selector;
        if (known == null) {
            known = Selector.open();
            selector = known;
        }
        return known;
    }

    private void keep(Collection<? extends Witness<T>> witnesses, Selector own) {
        List<HostPort> places = witnesses.stream().map(Witness::place).toList();
        lines.entrySet().removeIf(line -> {
            boolean gone = !places.contains(line.getKey());
            if (gone) {
                line.getValue().close();
            }
            return gone;
        });
        for (Witness<T> witness : witnesses) {
            lines.computeIfAbsent(witness.place(), at -> new WitnessLine<>(opened++, witness, connector, own));
        }
    }

    private void read(int index, long patienceNanos) {
        lines.values().stream().filter(line -> line.index() == index).forEach(line -> line.read(patienceNanos));
    }

    /** A witness to which there is no connection is waited for only if it is needed. */
    private boolean isWorthWaiting(Predicate<List<T>> suffices) {
        return lines.values().stream().anyMatch(WitnessLine::isAwaited)
                || lines.values().stream().anyMatch(WitnessLine::isOpening) && !suffices.test(testimonies());
    }

    private List<T> testimonies() {
        return lines.values().stream()
                .flatMap(line -> line.testimony().stream())
                .toList();
    }

    @Override
    public void abandon(List<T> testimonies) {
        lines.values().stream()
                .filter(line -> line.testimony().filter(testimonies::contains).isPresent())
                .forEach(WitnessLine::close);
    }

    @Override
    public String heard() {
        return heard;
    }

    @Override
    public void close() {
        asking.lock();
        try {
            closed = true;
            lines.values().forEach(WitnessLine::close);
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
