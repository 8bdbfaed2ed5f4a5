// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of text in columns, the first row a heading. */
final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    Table(String... heading) {
        row((Object[]) heading);
    }

    void row(Object... cells) {
        rows.add(Arrays.stream(cells)
                .map(cell -> ShownLines.shown(String.valueOf(cell)))
                .toList());
    }

    /** Returns a name that takes one cell: in quotes, if it could be taken for several. */
    static String cell(String name) {
        return name.matches("[^\\s\\p{Z}'\\\\]+") ? name : quoted(name);
    }

    /** Returns a name in quotes, which are where it begins and ends, and nowhere in it. */
    static String quoted(String name) {
        return "'" + name.replaceAll("['\\\\]", "\\\\$0") + "'";
    }

    void print(PrintWriter out) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            out.println(line.toString().stripTrailing());
        }
    }
}
