// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The drawings of docs/performance.md. */
class PlotsTest {

    @Test
    void plots_areThoseOfTheResultsThatStandBesideThem() throws Exception {
        Map<Path, String> plots = Plots.of(Measured.RESULTS);
        assertThat(plots).hasSize(5);
        for (Map.Entry<Path, String> plot : plots.entrySet()) {
            assertThat(Files.readString(plot.getKey()))
                    .as("%s: tools/benchmarks/run.sh org.holdfast.benchmarks.Plots draws it", plot.getKey())
                    .isEqualTo(plot.getValue());
        }
    }

    @Test
    void page_hasTheResultsOfTheRunThatStandsBesideIt() throws Exception {
        String page = Files.readString(Measured.RESULTS.resolveSibling("performance.md"));
        Csv quorum = Csv.read(Measured.RESULTS.resolve("quorum.csv"));
        assertThat(quorum.rows()).hasSize(6).allSatisfy(row -> assertThat(page)
                .contains("| " + String.join(" | ", row) + " |"));
    }
}
