// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.protocol.term.Succession;
import org.holdfast.protocol.term.Terms;
import org.holdfast.protocol.term.Witnesses;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.address.SentinelAddress;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A voter that is where a majority of its Sentinels says. {@link Terms} decides what their answers are worth. */
final class SentinelLocator implements Locator {

    private final SentinelAddress address;
    private final NodeConnector connector;
    private final Terms terms;
    private final Time time;
    private final Consumer<Terms.Term> moved;
    private final List<SentinelWitness> witnesses;
    private final Inquiry<Witnesses.Testimony> inquiry;
    private final Succession succession = new Succession();

    /** Of those that were heard last. */
    private volatile int needed;

    /** Why some of those that have answered are not heard; empty if all are. */
    private volatile Optional<String> fault = Optional.empty();

    /** @param moved receives a term that has begun when another process has become the voter */
    SentinelLocator(
            SentinelAddress address, NodeConnector connector, Terms terms, Time time, Consumer<Terms.Term> moved) {
        this.address = address;
        this.connector = connector;
        this.terms = terms;
        this.time = time;
        this.moved = moved;
        this.witnesses = IntStream.range(0, address.sentinels().size())
                .mapToObj(index -> new SentinelWitness(address, index))
                .toList();
        this.inquiry = new Inquiry<>(connector);
        this.needed = Witnesses.needed(witnesses.size(), List.of());
    }

    @Override
    public Place place(long deadline) {
        Optional<Terms.Term> known = terms.counting();
        if (known.isEmpty()) {
            inquiry.run(deadline, () -> ask(deadline));
            known = terms.counting();
        }
        Terms.Term term = known.orElseThrow(
                () -> new JedisConnectionException("its Sentinels do not say where it is: " + heard()));
        return new Place(address.primary(HostPort.parse(term.place(), 0)), term.number());
    }

    @Override
    public @Nullable String whyOver(int term) {
        return terms.count(term) ? null : explain(term);
    }

    private String explain(int term) {
        Optional<Terms.Term> present = terms.current().filter(known -> known.number() != term);
        return present.isPresent()
                ? present.get().again()
                        ? "its Sentinels were not heard for a while, and name it again"
                        : "its Sentinels name another primary by now: "
                                + present.get().place()
                : "its Sentinels have not confirmed for "
                        + terms.age().map(Duration::toMillis).orElse(0L)
                        + " ms that it is the primary, so its votes do not count: " + heard();
    }

    @Override
    public void requireProcess(int term, String runId) {
        if (!requireCounting(term).process().equals(runId)) {
            throw new JedisConnectionException("at its address a process answers that its Sentinels do not know there ("
                    + runId + "): another one, or one that was started again, which they find within 10 s");
        }
    }

    private Terms.Term requireCounting(int term) {
        return terms.counting()
                .filter(known -> known.number() == term)
                .orElseThrow(() -> new JedisConnectionException(explain(term)));
    }

    @Override
    public String describePlace() {
        return terms.counting()
                .map(term -> " (its Sentinels name " + term.place() + ")")
                .orElse("");
    }

    @Override
    public Optional<NodeFacts.Appointment> appointment(int term) {
        Terms.Term present = requireCounting(term);
        return Optional.of(new NodeFacts.Appointment(
                term, present.epoch(), terms.unsettledNanos(present), NodeFacts.Namer.SENTINELS));
    }

    @Override
    public void confirm() {
        long deadline = connector.deadline();
        inquiry.run(deadline, () -> ask(deadline));
    }

    private Runnable ask(long deadline) throws IOException {
        long askedAt = time.nanoTime();
        long wall = time.epochMicros();
        List<Witnesses.Testimony> testimonies =
                inquiry.ask(witnesses, deadline, heard -> succession.isKnown() && isAgreed(succession.own(heard)));
        List<Witnesses.Testimony> own = succession.own(testimonies);
        needed = Witnesses.needed(witnesses.size(), own);
        fault = succession.fault(testimonies);
        inquiry.abandon(succession.strangers(testimonies));
        Optional<Witnesses.Agreement> agreement = Witnesses.agree(witnesses.size(), own);
        agreement.ifPresent(named -> succession.agreed(named, own));
        boolean begun =
                agreement.filter(named -> terms.confirm(named, askedAt, wall)).isPresent();
        Terms.Term term = terms.current().orElse(null);
        return begun && term != null && term.number() > 1 ? () -> moved.accept(term) : () -> {};
    }

    private boolean isAgreed(List<Witnesses.Testimony> testimonies) {
        return Witnesses.agree(witnesses.size(), testimonies).isPresent();
    }

    private String heard() {
        String more =
                needed > witnesses.size() ? " (there are more Sentinels than the address names: name all of them)" : "";
        return fault.map(reason -> reason + "; ").orElse("") + needed
                + " must name the same primary and its process in the same epoch" + more + "; " + inquiry.heard();
    }

    @Override
    public void close() {
        inquiry.close();
    }
}
