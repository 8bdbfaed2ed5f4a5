// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.holdfast.testkit.RedisServers;

/**
 * All that is measured beside the floor and other libraries, as one table: what a lock costs alone, among many threads,
 * when it changes hands, when it is held and when it is waited for.
 */
public final class Targets {

    private Targets() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("| work | ours | floor | others |");
        System.out.println("| --- | --- | --- | --- |");
        for (int nodes : new int[] {1, 3, 5}) {
            pairs(nodes);
        }
        for (int threads : new int[] {32, 128}) {
            threads(threads);
        }
        changingHands();
        held();
        fair();
        waiting();
        System.exit(0); // threads of other libraries may go on
    }

    private static void row(String work, String ours, String floor, String others) {
        System.out.printf("| %s | %s | %s | %s |%n", work, ours, floor, others);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%,.0f", value);
    }

    private static void pairs(int count) throws Exception {
        try (RedisServers redis = RedisServers.start(count, Path.of("target", "redis"))) {
            List<AcquireRelease.Pairs> all = AcquireRelease.measure(redis.all(), Contestants.on(redis.all()));
            AcquireRelease.Pairs floor = all.get(0);
            AcquireRelease.Pairs scripts = all.get(1);
            AcquireRelease.Pairs ours = all.get(2);
            String on = ", " + count + (count == 1 ? " node" : " nodes");
            row(
                    "a pair" + on + ", p50 against the floor",
                    number(ours.p50() / floor.p50()),
                    "1; with our scripts " + number(scripts.p50() / floor.p50()),
                    others(all, pair -> number(pair.p50() / floor.p50())));
            row(
                    "the same, p99 in µs",
                    number(ours.p99()),
                    number(floor.p99()),
                    others(all, pair -> number(pair.p99())));
            row(
                    "the same, p99.9 in µs",
                    number(ours.p999()),
                    number(floor.p999()),
                    others(all, pair -> number(pair.p999())));
            row(
                    "the same, processor of the client in µs",
                    number(ours.client()),
                    number(floor.client()),
                    others(all, pair -> number(pair.client())));
            row(
                    "the same, processor of a node in µs",
                    number(ours.node()),
                    number(floor.node()),
                    others(all, pair -> number(pair.node())));
            row(
                    "the same, allocated by the caller in kB",
                    number(ours.allocated()),
                    number(floor.allocated()),
                    others(all, pair -> number(pair.allocated())));
        }
    }

    private interface Figure<T> {
        String of(T measured);
    }

    private static String others(List<AcquireRelease.Pairs> all, Figure<AcquireRelease.Pairs> figure) {
        return all.stream()
                .skip(3)
                .map(each -> each.name() + " " + figure.of(each))
                .collect(Collectors.joining("; "));
    }

    private static void threads(int count) throws Exception {
        List<ManyThreads.Rate> rates = ManyThreads.measure(1, count);
        double floor = rates.get(0).perSecond();
        Predicate<ManyThreads.Rate> isOurs = rate -> rate.client().equals(Library.RENEWED.title());
        double ours = rates.stream().filter(isOurs).findFirst().orElseThrow().perSecond();
        row(
                count + " threads, 1 node, rate against the floor",
                number(ours / floor),
                "1; with our scripts " + number(rates.get(1).perSecond() / floor),
                rates.stream()
                        .skip(2)
                        .filter(isOurs.negate())
                        .map(rate -> rate.client() + " " + number(rate.perSecond() / floor))
                        .collect(Collectors.joining("; ")));
    }

    private static void changingHands() throws Exception {
        WaitTimes.Outcome floor = contended(Library.FLOOR);
        List<String> rates = new ArrayList<>();
        List<String> hands = new ArrayList<>();
        for (Library library : List.of(Library.SPRING, Library.REDISSON, Library.REDISSON_FAIR)) {
            WaitTimes.Outcome other = contended(library);
            rates.add(library.title() + " " + number(other.perSecond()));
            hands.add(library.title() + " " + hand(other, floor));
        }
        for (Library library : List.of(Library.RENEWED, Library.FIXED, Library.FAIR)) {
            WaitTimes.Outcome ours = contended(library);
            row(
                    "2 processes with 2 threads, one lock, a second: " + library.title(),
                    number(ours.perSecond()),
                    number(floor.perSecond()),
                    String.join("; ", rates));
            row(
                    "the same, how soon the next one has it, against p50 of the floor",
                    hand(ours, floor),
                    hand(floor, floor),
                    String.join("; ", hands));
        }
    }

    private static WaitTimes.Outcome contended(Library library) throws Exception {
        return WaitTimes.measure(new WaitTimes.Scenario(library.name().toLowerCase(Locale.ROOT), 1, 2, 2, 0, 0, 0));
    }

    /** Whichever process the next one is in; and in the other process, with p99 in milliseconds. */
    private static String hand(WaitTimes.Outcome seen, WaitTimes.Outcome floor) {
        return number((double) WaitTimes.at(seen.any(), 0.5) / WaitTimes.at(floor.any(), 0.5)) + " (other process "
                + number((double) WaitTimes.at(seen.others(), 0.5) / WaitTimes.at(floor.others(), 0.5)) + ", p99 "
                + number(WaitTimes.at(seen.others(), 0.99) / 1e6) + " ms)";
    }

    private static void held() throws Exception {
        int count = 50_000;
        Kept.Held ours = Kept.locks(Library.RENEWED, count);
        Kept.Held others = Kept.locks(Library.REDISSON, count);
        String redisson = Library.REDISSON.title() + " ";
        row(count + " leases, calls a second", number(ours.calls()), "", redisson + number(others.calls()));
        row(
                "the same, processor of the node, a part of one",
                number(ours.processor()),
                "",
                redisson + number(others.processor()));
        row(
                "the same, heap for each in kB",
                number(ours.bytes() / 1_000),
                "",
                redisson + number(others.bytes() / 1_000));
    }

    private static void fair() throws Exception {
        try (RedisServers redis = RedisServers.start(1, Path.of("target", "redis"))) {
            List<String> nodes = List.of(redis.get(0).uri());
            FairDrain.Drained ours = FairDrain.measure(Library.FAIR, nodes);
            FairDrain.Drained others = FairDrain.measure(Library.REDISSON_FAIR, nodes);
            row(
                    "64 fair waiters, until all have had the lock, ms",
                    number(ours.millis()),
                    "",
                    Library.REDISSON_FAIR.title() + " " + number(others.millis()));
            row(
                    "the same, came before their turn, in 12 rounds",
                    Integer.toString(ours.inversions()),
                    "",
                    Library.REDISSON_FAIR.title() + " " + others.inversions());
        }
    }

    private static void waiting() throws Exception {
        Kept.Waiting ours = Kept.waiters(10_000);
        row("10,000 waiters for 1,000 locks, calls a second", number(ours.calls()), "0", "");
        row("the same, connections to the node", Long.toString(ours.connections()), "", "");
    }
}
