// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The Java code of {@code docs/testing.md}, {@code docs/migrating.md}, {@code docs/ten-uses.md} and {@code
 * docs/observability.md} is that of tests, which are run. Blocks that are marked {@code before} show what is not
 * written any more.
 */
class DocsTest {

    private static final Path ROOT = Path.of("..", "..");
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static String text(Path file) {
        try {
            return unindented(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String unindented(String code) {
        return code.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    @ParameterizedTest
    @CsvSource({"testing.md, 6", "migrating.md, 2", "ten-uses.md, 12", "observability.md, 4", "reactive.md, 2"})
    void page_javaSnippets_areRunByTests(String page, int count) throws IOException {
        List<String> sources = Stream.of(
                        "integrations/test/src/test/java/org/holdfast/test/Invoices.java",
                        "integrations/test/src/test/java/org/holdfast/test/InvoicesTest.java",
                        "integrations/test/src/test/java/org/holdfast/test/StockTest.java",
                        "integrations/test/src/test/java/org/holdfast/test/MigrationsTest.java",
                        "integrations/test/src/test/java/org/holdfast/test/Shop.java",
                        "integrations/test/src/test/java/org/holdfast/test/TenUsesTest.java",
                        "integrations/test/src/test/java/org/holdfast/test/ReactiveTest.java",
                        "integrations/micrometer/src/test/java/org/holdfast/micrometer/HoldfastMetricsTest.java",
                        "integrations/opentelemetry/src/test/java/org/holdfast/opentelemetry/LockedTracingTest.java",
                        "integrations/opentelemetry/src/test/java/org/holdfast/opentelemetry/TracedLocksTest.java",
                        "adapter/core/src/test/java/org/holdfast/contract/OneContainerTest.java")
                .map(file -> text(ROOT.resolve(file)))
                .toList();
        List<String> snippets = JAVA.matcher(
                        Files.readString(ROOT.resolve("docs").resolve(page)))
                .results()
                .map(MatchResult::group)
                .map(block -> unindented(block.substring("```java\n".length(), block.length() - "```".length())))
                .toList();
        assertThat(snippets).hasSize(count).allSatisfy(snippet -> assertThat(sources)
                .as("no source has this snippet of docs/%s: copy it from one", page)
                .anyMatch(source -> source.contains(snippet)));
    }
}
