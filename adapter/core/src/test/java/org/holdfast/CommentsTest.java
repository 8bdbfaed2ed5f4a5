// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The formatter breaks lines of code, and leaves comments as they are. */
class CommentsTest {

    private static final int COLUMNS = 120;
    private static final Path ROOT = Path.of("..", "..");
    private static final Set<String> NO_SOURCES = Set.of("target", ".git", ".mvn");
    private static final Pattern COMMENT = Pattern.compile("\\s*(//|/?\\*|--).*");

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes any) {
                return NO_SOURCES.contains(folder.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes any) {
                String name = file.toString();
                if (name.endsWith(".java") || name.endsWith(".lua")) {
                    sources.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }

    @Test
    void comments_fitInto120Columns() throws IOException {
        List<String> wide = new ArrayList<>();
        List<Path> sources = sources();
        for (Path source : sources) {
            List<String> lines = Files.readAllLines(source);
            for (int line = 0; line < lines.size(); line++) {
                if (lines.get(line).length() > COLUMNS
                        && COMMENT.matcher(lines.get(line)).matches()) {
                    wide.add(source + ":" + (line + 1));
                }
            }
        }
        assertThat(sources).as("sources of all modules").hasSizeGreaterThan(300);
        assertThat(wide).as("comments that are wider than %d columns", COLUMNS).isEmpty();
    }
}
