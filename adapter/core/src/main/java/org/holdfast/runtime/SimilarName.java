// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Finds the setting that was meant by a misspelt name. */
final class SimilarName {

    /** More wrong letters than these are another word. */
    private static final int MOST_EDITS = 3;

    private static final String UNIT = "millis";

    /** A setting may come from a property ({@code holdfast.ttlMillis}) or a variable ({@code HOLDFAST_TTL_MILLIS}). */
    private static final Pattern PREFIX = Pattern.compile("^holdfast[._]");

    private SimilarName() {}

    /** Returns what stands behind a message about an unknown name: a question, or nothing if no setting is similar. */
    static String hint(String name, List<String> known) {
        String wanted =
                PREFIX.matcher(name.toLowerCase(Locale.ROOT)).replaceFirst("").replace("_", "");
        return known.stream()
                .filter(candidate -> distance(wanted, candidate) <= Math.min(MOST_EDITS, candidate.length() / 3))
                .min(Comparator.comparingInt(candidate -> distance(wanted, candidate)))
                .map(candidate -> ": did you mean '" + candidate + "'?")
                .orElse("");
    }

    /** In a request, and in an annotation, times have no unit in their names. */
    private static int distance(String wanted, String candidate) {
        String known = candidate.toLowerCase(Locale.ROOT);
        return Math.min(edits(wanted, known), edits(wanted + UNIT, known));
    }

    /** The distance of Levenshtein: how many letters are to be inserted, deleted or replaced. */
    private static int edits(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
