// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What operators read has a number, which stands once in the sources and once in docs/messages.md. */
class MessagesTest {

    private static final Path ROOT = Path.of("..", "..");
    private static final List<Path> SOURCES = List.of(
            ROOT.resolve("adapter/api/src/main/java"),
            ROOT.resolve("adapter/core/src/main/java"),
            ROOT.resolve("cdi-extension/src/main/java"),
            ROOT.resolve("integrations/shedlock/src/main/java"),
            ROOT.resolve("integrations/spring/src/main/java"));

    private static final Pattern ID = Pattern.compile("HF\\d{4}");

    /** What stands at the beginning of a message, and nowhere else. */
    private static final Pattern ID_OF_MESSAGE = Pattern.compile("\"(" + ID + "): ");

    /** What is thrown at operators: the other exceptions of the API have their numbers in their constructors. */
    private static final Pattern TOLD = Pattern.compile(
            "(?:\\b[A-Z]+\\.log|new (?:LockException|DeploymentException|\\w*ResourceException|\\w*ResourceAdapterInternalException"
                    + "|NotSupportedException|jakarta\\.resource\\.spi\\.IllegalStateException))\\([^;]*;");

    /** Messages that stand in a constant, for they are needed more than once. */
    private static final Pattern CONSTANT = Pattern.compile("\\((?:GONE|NO_TRANSACTION)\\);");

    private static Map<Path, String> sources() {
        return SOURCES.stream().flatMap(MessagesTest::javaFiles).collect(toMap(path -> path, MessagesTest::read));
    }

    private static Stream<Path> javaFiles(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> all(Pattern pattern, String text) {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(matcher.groupCount()));
        }
        return found;
    }

    private static List<String> idsInSources() {
        return sources().values().stream()
                .flatMap(source -> all(ID_OF_MESSAGE, source).stream())
                .toList();
    }

    @Test
    void ids_standOnceInTheSources() {
        assertThat(idsInSources()).hasSizeGreaterThan(40).doesNotHaveDuplicates();
        assertThat(sources().values().stream().flatMap(source -> all(ID, source).stream()))
                .as("numbers elsewhere than at the beginning of a message")
                .hasSameSizeAs(idsInSources());
    }

    @Test
    void ids_areDocumentedOnceAndInOrder() {
        List<String> documented = read(ROOT.resolve("docs/messages.md"))
                .lines()
                .filter(line -> line.startsWith("| HF"))
                .map(line -> line.substring(2, 8))
                .toList();
        assertThat(documented).isSorted().containsExactlyInAnyOrderElementsOf(idsInSources());
    }

    @Test
    void messages_allHaveAnId() {
        sources().forEach((file, source) -> assertThat(all(TOLD, source))
                .as(file.toString())
                .allMatch(call -> ID_OF_MESSAGE.matcher(call).find()
                        || CONSTANT.matcher(call).find()));
    }
}
