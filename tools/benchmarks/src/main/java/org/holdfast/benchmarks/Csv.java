// SPDX-License-Identifier: Apache-2.0
package org.holdfast.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What was measured, as a file of values separated by commas.
 *
 * @param header what the columns are
 * @param rows the values, without commas
 */
record Csv(List<String> header, List<List<String>> rows) {

    /** Returns one without rows yet. */
    static Csv of(String... header) {
        return new Csv(List.of(header), new ArrayList<>());
    }

    static Csv read(Path file) throws IOException {
        List<List<String>> lines = Files.readAllLines(file).stream()
                .map(line -> List.of(line.split(",")))
                .toList();
        return new Csv(lines.get(0), lines.subList(1, lines.size()));
    }

    /** Adds a row: numbers have one digit behind the point. */
    void add(Object... values) {
        List<String> row = new ArrayList<>();
        for (Object value : values) {
            row.add(value instanceof Double number ? String.format("%.1f", number) : value.toString());
        }
        rows.add(row);
        System.out.println(String.join(",", row));
    }

    void write(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(String.join(",", header));
        rows.forEach(row -> lines.add(String.join(",", row)));
        Files.write(file, lines);
    }

    /** Returns a value of a row. */
    String value(List<String> row, String column) {
        return row.get(header.indexOf(column));
    }

    double number(List<String> row, String column) {
        return Double.parseDouble(value(row, column));
    }
}
