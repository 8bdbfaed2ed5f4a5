// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.PropertiesPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** The code of {@code docs/spring.md} is that of tests, which are run; its properties are read. */
class PageTest {

    private static final Path ROOT = Path.of("..", "..");

    private static String text(String file) {
        try {
            return Files.readString(ROOT.resolve(file))
                    .lines()
                    .map(String::strip)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> blocks(String language) {
        return Pattern.compile("```" + language + "\n(.*?)\n```", Pattern.DOTALL)
                .matcher(text("docs/spring.md"))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    @Test
    void javaSnippets_areRunByTests() {
        List<String> sources = Stream.of(
                        "integrations/spring/src/test/java/org/holdfast/spring/boot/Orders.java",
                        "integrations/spring/src/test/java/org/holdfast/spring/boot/Stock.java",
                        "integrations/spring/src/test/java/org/holdfast/spring/boot/Jobs.java",
                        "integrations/spring/src/test/java/org/holdfast/spring/boot/ApplicationTest.java",
                        "integrations/shedlock/src/test/java/org/holdfast/shedlock/ScheduledJobTest.java")
                .map(PageTest::text)
                .toList();
        assertThat(blocks("java")).hasSize(6).allSatisfy(snippet -> assertThat(sources)
                .as("no source has this snippet of docs/spring.md: copy it from one")
                .anyMatch(source -> source.contains(snippet)));
    }

    @Test
    void properties_areSettings(@TempDir Path directory) throws IOException {
        Path password = Files.writeString(directory.resolve("redis"), "sesame");
        List<String> blocks = blocks("properties");
        assertThat(blocks).hasSize(3);
        for (String block : blocks) {
            Properties properties = new Properties();
            properties.load(new StringReader(block));
            properties.computeIfPresent("holdfast.password-file", (name, file) -> password.toString());
            StandardEnvironment environment = new StandardEnvironment();
            environment.getPropertySources().addFirst(new PropertiesPropertySource("page", properties));
            if (EnvironmentSettings.arePresent(environment)) {
                Holdfast.connect(EnvironmentSettings.read(environment)).close();
            } else {
                assertThat(properties.stringPropertyNames()).noneMatch(name -> name.startsWith("holdfast."));
            }
        }
    }
}
