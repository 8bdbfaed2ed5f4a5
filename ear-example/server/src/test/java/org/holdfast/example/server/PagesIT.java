// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No command gets into a page of {@code docs/servers} that nothing runs. */
class PagesIT {

    private static final Pattern FENCE = Pattern.compile("(?ms)^```(\\S*)(?: (\\S+))?\\n(.*?)^```$");

    /** Pieces of an application and what servers say: there is nothing in them to be run. */
    private static final Set<String> NOT_COMMANDS = Set.of("text");

    /** What servers and tests ask {@link Page} for. */
    private static final Set<String> RUN = Set.of(
            "server",
            "logging",
            "settings",
            "settings-alone",
            "api",
            "ear",
            "ear-gone",
            "alone",
            "alone-gone",
            "application",
            "application-gone",
            "pool",
            "jobs",
            "tls",
            "tls-gone",
            "connections");

    @Test
    void blocks_ofAllPages_areRunByATest() throws IOException {
        try (Stream<Path> pages = Files.list(Path.of(System.getProperty("docs")))) {
            for (Path page : pages.toList()) {
                List<MatchResult> blocks =
                        FENCE.matcher(Files.readString(page)).results().toList();
                assertThat(blocks).allSatisfy(block -> assertThat(NOT_COMMANDS.contains(block.group(1)) || isRun(block))
                        .as("%s: a test runs\n%s", page.getFileName(), block.group(3))
                        .isTrue());
            }
        }
    }

    private static boolean isRun(MatchResult block) {
        boolean descriptor = block.group(1).equals("xml") && block.group(3).startsWith("<resource-ref>");
        return descriptor || block.group(2) != null && RUN.contains(block.group(2));
    }
}
