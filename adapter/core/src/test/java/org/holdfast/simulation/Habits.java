// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.holdfast.LockRequest;
import org.holdfast.Release;

/**
 * How the clients of one run go about locking.
 *
 * @param shapes the ways in which they lock
 * @param locks how many names there are
 * @param permits how many a semaphore has
 * @param threads how many each client has
 * @param paceNanos how long a step of work under a lock takes at the most
 * @param fixedTtl the TTL that all use, without which locks are seldom passed on; empty for a different one each time
 * @param async whether some wait without a thread
 * @param maxTtl the longest TTL that may be asked for
 * @param lengthy whether most leases are nearly as long as that, and so is the work
 * @param release whether callers wait for the nodes when they release a lease
 * @param stream what is asked for all the time while others must have their turn; empty for nothing
 */
record Habits(
        List<Shape> shapes,
        int locks,
        int permits,
        int threads,
        long paceNanos,
        Optional<Duration> fixedTtl,
        boolean async,
        Duration maxTtl,
        boolean lengthy,
        Release release,
        Optional<Shape> stream) {

    /** Of what must be had after all. */
    static final Duration SHORT_TTL = Duration.ofMillis(500);

    private static final long MILLI = 1_000_000L;

    private static final long BRISK = 15 * MILLI;

    /** Of 20 runs so many have exclusive locks only, of one name each. */
    private static final int PLAIN_OF_20 = 11;

    private static final List<List<Shape>> MIXES = List.of(
            List.of(Shape.FAIR),
            List.of(Shape.FAIR, Shape.PLAIN),
            List.of(Shape.READING, Shape.WRITING),
            List.of(Shape.READING, Shape.WRITING, Shape.DOWNGRADING),
            List.of(Shape.READING, Shape.WRITING, Shape.DOWNGRADING, Shape.FAIR),
            List.of(Shape.READING, Shape.WRITING, Shape.PLAIN),
            List.of(Shape.SEVERAL, Shape.PLAIN),
            List.of(Shape.SEVERAL, Shape.FAIR, Shape.READING),
            List.of(Shape.PERMIT),
            List.of(Shape.KEPT, Shape.PLAIN),
            List.of(Shape.KEPT),
            List.of(Shape.values()));

    /** @param given the ways in which they lock; empty for any */
    static Habits draw(Random random, Duration maxTtl, Optional<List<Shape>> given) {
        boolean plain = given.isEmpty() && random.nextInt(20) < PLAIN_OF_20;
        boolean lengthy =
                random.nextInt(3) == 0 || given.isPresent() && given.get().contains(Shape.SEVERAL);
        if (plain && random.nextInt(4) == 0) {
            return crowded(Shape.PLAIN, random, maxTtl, lengthy);
        }
        List<Shape> any = plain ? List.of(Shape.PLAIN) : MIXES.get(random.nextInt(MIXES.size()));
        List<Shape> shapes = given.orElse(any);
        if (shapes.equals(List.of(Shape.FAIR))) {
            return crowded(Shape.FAIR, random, maxTtl, lengthy);
        }
        boolean inTurn = shapes.contains(Shape.READING) && shapes.stream().allMatch(Shape::isInTurn);
        boolean alwaysBusy = inTurn && random.nextInt(3) == 0; // a caller that does not wait in turn may starve
        return new Habits(
                shapes,
                shapes.contains(Shape.SEVERAL) ? 2 : 1 + random.nextInt(2),
                1 + random.nextInt(3),
                1 + random.nextInt(2),
                random.nextInt(3) == 0 ? BRISK : 150 * MILLI,
                random.nextInt(3) == 0 ? Optional.of(ttl(random, maxTtl, lengthy)) : Optional.empty(),
                random.nextInt(3) == 0,
                maxTtl,
                lengthy,
                Release.CONFIRMED,
                alwaysBusy ? Optional.of(random.nextBoolean() ? Shape.READING : Shape.WRITING) : Optional.empty());
    }

    /** One name, which is locked as in a model of the protocol, always for the same TTL. */
    static Habits drawModelled(Random random, Duration maxTtl, Modelled modelled) {
        return new Habits(
                modelled.shapes,
                1,
                1,
                1,
                random.nextInt(4) == 0 ? BRISK : modelled.paceNanos(),
                Optional.of(modelled.ttl()),
                random.nextBoolean(),
                maxTtl,
                random.nextBoolean(),
                Release.CONFIRMED,
                Optional.empty());
    }

    /** Many callers of one process want the same lock for a moment each, and pass it on. */
    private static Habits crowded(Shape shape, Random random, Duration maxTtl, boolean lengthy) {
        Optional<Duration> ttl = Optional.of(ttl(random, maxTtl, lengthy));
        return new Habits(
                List.of(shape),
                1,
                1,
                3,
                BRISK,
                ttl,
                random.nextBoolean(),
                maxTtl,
                lengthy,
                Release.CONFIRMED,
                Optional.empty());
    }

    /** Returns the same for clients that do not wait for the nodes when they release. */
    Habits hasty() {
        return new Habits(
                shapes, locks, permits, threads, paceNanos, fixedTtl, async, maxTtl, lengthy, Release.ASYNC, stream);
    }

    private static Duration ttl(Random random, Duration maxTtl, boolean lengthy) {
        int most = (int) maxTtl.toMillis();
        return Duration.ofMillis(
                lengthy && random.nextInt(4) > 0
                        ? most - random.nextInt(most / 5)
                        : 100 + random.nextInt(most / 2 - 100));
    }

    /** Returns what each client must be able to get: each name, and each way to lock. */
    List<LockRequest> requests() {
        return IntStream.range(0, Math.max(shapes.size(), locks))
                .mapToObj(i -> shapes.get(i % shapes.size()).request(i % locks, permits))
                .distinct()
                .toList();
    }

    /** Returns whether locks are taken and released several times as often as elsewhere. */
    boolean isBrisk() {
        return paceNanos == BRISK || stream.isPresent();
    }

    Shape anyShape(Random random) {
        return shapes.get(random.nextInt(shapes.size()));
    }

    Duration anyTtl(Random random) {
        return fixedTtl.orElseGet(() -> ttl(random, maxTtl, lengthy));
    }

    /** Returns how long a caller waits for a lock, or twice as long, if it waits. */
    long patienceMillis() {
        return lengthy ? maxTtl.toMillis() / 2 : 300;
    }

    /** Returns how long a step of work under a lease takes at the most, of which so much is left. */
    long paceNanos(Duration remaining) {
        return lengthy ? Math.max(paceNanos, remaining.toNanos() / 2) : paceNanos;
    }
}
