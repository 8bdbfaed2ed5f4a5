// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints a JaCoCo report as a table: for each package, and for all, which part of the lines and branches was reached.
 */
final class Coverage {

    private static final int PACKAGE = 1;
    private static final int BRANCHES = 5;
    private static final int LINES = 7;

    /** What was reached and missed of one package. */
    private static final class Counts {
        private long branches;
        private long branchesReached;
        private long lines;
        private long linesReached;

        void add(String[] row) {
            branchesReached += Long.parseLong(row[BRANCHES + 1]);
            branches += Long.parseLong(row[BRANCHES]) + Long.parseLong(row[BRANCHES + 1]);
            linesReached += Long.parseLong(row[LINES + 1]);
            lines += Long.parseLong(row[LINES]) + Long.parseLong(row[LINES + 1]);
        }

        String row(String name) {
            return String.format(
                    "| %-32s | %5d | %5.1f %% | %5d | %5.1f %% |",
                    name, lines, percent(linesReached, lines), branches, percent(branchesReached, branches));
        }

        private static double percent(long part, long all) {
            return all == 0 ? 100 : 100.0 * part / all;
        }
    }

    private Coverage() {}

    public static void main(String[] reports) throws IOException {
        Map<String, Counts> packages = new TreeMap<>();
        Counts all = new Counts();
        List<String> rows = Files.readAllLines(Path.of(reports[0]));
        for (String line : rows.subList(1, rows.size())) {
            String[] row = line.split(",");
            packages.computeIfAbsent(row[PACKAGE], name -> new Counts()).add(row);
            all.add(row);
        }
        System.out.println("| package                          | lines | reached | branches | reached |");
        System.out.println("|---|---|---|---|---|");
        packages.forEach((name, counts) -> System.out.println(counts.row(name)));
        System.out.println(all.row("all"));
    }
}
