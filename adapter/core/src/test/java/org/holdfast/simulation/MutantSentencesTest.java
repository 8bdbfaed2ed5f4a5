// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Mutants are not simulated in each build: that the code still has what they replace is seen here. */
class MutantSentencesTest {

    private static final String LITERAL = "\"(?:[^\"\\\\]|\\\\.)*\"";

    /** The file, which ends with a literal or is a constant, and the sentence of {@link Mutant#with}. */
    private static final Pattern REPLACED = Pattern.compile(
            "\\.with\\(\\s*(?:(?:\\w+ \\+ )?\"([^\"]+)\"|(\\w+)),\\s*(" + LITERAL + "(?:\\s*\\+\\s*" + LITERAL + ")*)");

    private static final Path SOURCES = Path.of("src/test/java/org/holdfast/simulation/Sources.java");

    private record Replaced(String test, String file, String sentence) {

        boolean occursOnce() throws IOException {
            Path name = Path.of(file).getFileName();
            int found = 0;
            for (String folder : List.of("src/main/java", "src/main/resources", "src/test/java")) {
                for (Path path : files(Path.of(folder), each -> each.endsWith(name))) {
                    String source = Files.readString(path);
                    int first = source.indexOf(sentence);
                    found += first >= 0 && source.indexOf(sentence, first + 1) < 0 ? 1 : 0;
                }
            }
            return found == 1;
        }
    }

    private static List<Path> files(Path folder, Predicate<Path> wanted) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).filter(wanted).toList();
        }
    }

    private static List<Replaced> replaced(Path test) throws IOException {
        String source = Files.readString(test);
        String constants = source + Files.readString(SOURCES);
        return REPLACED.matcher(source)
                .results()
                .map(match -> new Replaced(
                        test.getFileName().toString(),
                        match.group(1) == null ? constant(match.group(2), constants) : match.group(1),
                        sentence(match)))
                .toList();
    }

    private static String constant(String name, String source) {
        Matcher declared =
                Pattern.compile("String " + name + " =[^;]*\"([^\"]+)\";").matcher(source);
        assertThat(declared.find()).as("the file that %s names", name).isTrue();
        return declared.group(1);
    }

    private static String sentence(MatchResult match) {
        return Pattern.compile(LITERAL)
                .matcher(match.group(3))
                .results()
                .map(literal -> literal.group().substring(1, literal.group().length() - 1))
                .collect(Collectors.joining())
                .translateEscapes();
    }

    @Test
    void sentence_ofEachMutant_occursOnceInItsFile() throws IOException {
        List<Replaced> all = new ArrayList<>();
        for (Path test : files(Path.of("src/test/java"), each -> each.toString().endsWith("MutantsTest.java"))) {
            all.addAll(replaced(test));
        }
        List<Replaced> lost = new ArrayList<>();
        for (Replaced each : all) {
            if (!each.occursOnce()) {
                lost.add(each);
            }
        }
        assertThat(lost).isEmpty();
        assertThat(all).hasSizeGreaterThan(100);
    }
}
