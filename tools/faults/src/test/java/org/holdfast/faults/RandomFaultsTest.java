// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.holdfast.history.EdnWriter;
import org.holdfast.history.History;
import org.holdfast.history.HistoryCheck;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults in combinations that a seed decides, round after round: for {@code -Dduration}, with {@code -Dseed}, on {@code
 * -Dnodes=1,3,5} at one time, with {@code -Dcallers} threads in each of two clients and {@code -Dnames} locks besides
 * the few that all of them want. The files in {@code target/faults} have what was seen, and the history of each lock
 * for other checkers.
 */
@Tag("thorough")
@Execution(ExecutionMode.CONCURRENT)
class RandomFaultsTest {

    private static final System.Logger LOG = System.getLogger("faults");
    private static final int MOST_AT_ONCE = 3;

    @ParameterizedTest
    @MethodSource("nodes")
    void locks_keepTheirPromises_andComeBack_afterFaultsInCombination(int nodes) throws Exception {
        Duration duration = Duration.parse(System.getProperty("duration", "PT20S"));
        long seed = Long.getLong("seed", 1);
        Path directory = Path.of("target", "faults", "random-" + nodes);
        Random random = new Random(seed * 10 + nodes);
        long end = System.nanoTime() + duration.toNanos();
        Summary summary = new Summary(nodes + " nodes, seed " + seed + ", " + duration);
        Deployment.Load load = new Deployment.Load(Integer.getInteger("callers", 4), Integer.getInteger("names", 0));
        try (Deployment deployment =
                new Deployment(directory, Deployment.Plan.sound(nodes).under(load))) {
            Round.of(List.of(NetworkFault.LATENCY), deployment, random); // after that it is warm
            summary.begin(Footprint.of(deployment.clients().get(0)));
            while (System.nanoTime() - end < 0) {
                List<Fault> faults = any(random);
                Round round = Round.of(faults, deployment, random);
                LOG.log(System.Logger.Level.INFO, nodes + " nodes, " + faults + ": " + round);
                summary.add(faults, round);
                if (!round.verdict().isClean()) {
                    write(deployment.history(), directory);
                }
                assertThat(round.verdict().isClean())
                        .as("%s on %d nodes, seed %d: %s", faults, nodes, seed, round.verdict())
                        .isTrue();
            }
            summary.end(deployment, Footprint.of(deployment.clients().get(0)));
            Files.writeString(directory.resolve("summary.txt"), summary + "\n");
            assertThat(HistoryCheck.decide(deployment.history()).isClean())
                    .as("all of it")
                    .isTrue();
            write(deployment.history(), directory);
        }
        LOG.log(System.Logger.Level.INFO, summary.toString());
    }

    static IntStream nodes() {
        return Stream.of(System.getProperty("nodes", "1,3,5").split(",")).mapToInt(Integer::parseInt);
    }

    private static List<Fault> any(Random random) {
        List<Fault> all = new ArrayList<>(Fault.all());
        Collections.shuffle(all, random);
        return all.subList(0, 1 + random.nextInt(MOST_AT_ONCE));
    }

    private static void write(History history, Path directory) throws IOException {
        for (String lock : List.of("stock", "orders", "prices")) {
            try (Writer out = Files.newBufferedWriter(directory.resolve(lock + ".edn"))) {
                EdnWriter.write(history, lock, out);
            }
        }
    }

    /** What a long run has shown. */
    private static final class Summary {
        private final String what;
        private final Map<String, Integer> faults = new TreeMap<>();
        private int rounds;
        private long slowestRecoveryMillis;
        private String text = "";

        Summary(String what) {
            this.what = what;
        }

        void begin(Footprint footprint) {
            text = "\n  at the start: " + footprint;
        }

        void add(List<Fault> happened, Round round) {
            rounds++;
            happened.forEach(fault -> faults.merge(fault.name(), 1, Integer::sum));
            slowestRecoveryMillis = Math.max(slowestRecoveryMillis, round.recoveryMillis());
        }

        void end(Deployment deployment, Footprint footprint) throws InterruptedException {
            text += "\n  at the end:   " + footprint + "\n  "
                    + deployment.observations().count() + " holds, "
                    + deployment.history().refused() + " writes refused, " + rounds + " rounds, "
                    + faults.values().stream().mapToInt(Integer::intValue).sum() + " faults\n  slowest recovery "
                    + slowestRecoveryMillis + " ms; longest time from the end of a lease to its notice "
                    + deployment.slowestNoticeNanos() / 1_000_000 + " ms, of "
                    + deployment.observations().losses().size() + " losses\n  " + faults;
        }

        @Override
        public String toString() {
            return what + text;
        }
    }
}
