// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/quarkus.md} is that of the application, which is tested; its properties are settings. */
class PageTest {

    private static final String PREFIX = "holdfast.";
    private static final Path PAGE = Path.of("..", "..", "docs", "quarkus.md");
    private static final Path CODE = Path.of("src/main/java/org/holdfast/example/quarkus");

    private static String text(Path file) {
        try {
            return Files.readString(file).lines().map(String::strip).collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> blocks(String language) {
        return Pattern.compile("```" + language + "\n(.*?)\n```", Pattern.DOTALL)
                .matcher(text(PAGE))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    @Test
    void javaSnippets_areOfTheApplication() throws IOException {
        List<String> sources;
        try (Stream<Path> files = Files.list(CODE)) {
            sources = files.map(PageTest::text).toList();
        }
        assertThat(blocks("java")).hasSize(5).allSatisfy(snippet -> assertThat(sources)
                .as("no source has this snippet of docs/quarkus.md: copy it from one")
                .anyMatch(source -> source.contains(snippet)));
    }

    @Test
    void properties_areSettings() throws IOException {
        assertThat(blocks("properties")).hasSize(1);
        Properties properties = new Properties();
        properties.load(new StringReader(blocks("properties").get(0)));
        Map<String, String> settings = new TreeMap<>();
        properties.stringPropertyNames().stream()
                .filter(name -> name.startsWith(PREFIX))
                .forEach(name -> settings.put(name.substring(PREFIX.length()), properties.getProperty(name)));
        assertThat(settings).hasSize(2);
        Holdfast.connect(settings).close();
    }
}
