// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Draws what {@link Growth} has measured, for {@code docs/performance.md}. */
public final class Plots {

    private static final Map<String, String> AXES = Map.of(
            "names", "names that the nodes remember",
            "waiters", "callers that wait for other locks",
            "leases", "leases that the process keeps",
            "threads", "threads that take locks of their own");

    private Plots() {}

    public static void main(String[] arguments) throws IOException {
        for (Map.Entry<Path, String> plot : of(Measured.RESULTS).entrySet()) {
            Files.writeString(plot.getKey(), plot.getValue());
        }
    }

    /** Returns the drawings of the results in a directory, by file. */
    static Map<Path, String> of(Path directory) throws IOException {
        Csv growth = Csv.read(directory.resolve("growth.csv"));
        Map<Path, String> plots = new TreeMap<>();
        AXES.forEach((what, across) -> {
            List<List<String>> rows = growth.rows().stream()
                    .filter(row -> growth.value(row, "what").equals(what))
                    .toList();
            Plot plot = new Plot(
                    "Three nodes: one lock taken and released, beside " + across,
                    across,
                    "microseconds",
                    List.of(curve("p50", growth, rows), curve("p99", growth, rows), curve("p999", growth, rows)));
            plots.put(directory.resolve(what + ".svg"), plot.svg());
        });
        List<List<String>> threads = growth.rows().stream()
                .filter(row -> growth.value(row, "what").equals("threads"))
                .toList();
        Plot rate = new Plot(
                "Three nodes: pairs a second of all threads",
                AXES.get("threads"),
                "pairs a second",
                List.of(curve("rate", growth, threads)));
        plots.put(directory.resolve("rate.svg"), rate.svg());
        return plots;
    }

    private static Plot.Curve curve(String column, Csv growth, List<List<String>> rows) {
        return new Plot.Curve(
                column,
                rows.stream()
                        .map(row -> new Plot.Point(growth.number(row, "x"), growth.number(row, column)))
                        .toList());
    }
}
