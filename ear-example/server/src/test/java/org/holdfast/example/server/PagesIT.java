// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No command gets into a page of {@code docs/servers} that nothing runs. */
class PagesIT {

    private static final Path DOCS = Path.of(System.getProperty("docs"));

    /** What servers and tests ask {@link Page} for when they run on Payara and GlassFish. */
    private static final List<String> OF_ASADMIN = List.of(
            "<resource-ref>",
            "ear",
            "ear-gone",
            "alone",
            "alone-gone",
            "application",
            "application-gone",
            "pool",
            "tls",
            "tls-gone",
            "passwords",
            "passwords-gone");

    /** The same for each page, which has no block that is not here, none twice, and none of these missing. */
    private static final Map<String, List<String>> RUN = Map.of(
            "wildfly.md",
            List.of(
                    "feature-pack", // by FeaturePackIT of integrations/wildfly-example
                    "run", // by RunIT there
                    "<resource-ref>",
                    "ear",
                    "ear-deploy",
                    "ear-gone",
                    "jobs",
                    "alone",
                    "ironjacamar",
                    "alone-deploy",
                    "alone-gone",
                    "settings-gone",
                    "manifest",
                    "application",
                    "application-gone",
                    "pool",
                    "pool-statistics",
                    "connections",
                    "tls",
                    "encryption",
                    "encrypt",
                    "passwords"),
            "payara.md",
            OF_ASADMIN,
            "glassfish.md",
            OF_ASADMIN,
            "openliberty.md",
            List.of("<resource-ref>", "server", "ear", "alone", "application", "tls"),
            "tomee.md",
            List.of(
                    "<resource-ref>",
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
                    "tls"),
            "README.md",
            List.of());

    @Test
    void blocks_ofAllPages_areEachRunByATest() throws IOException {
        try (Stream<Path> pages = Files.list(DOCS)) {
            assertThat(pages.map(page -> page.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(RUN.keySet())
                    .allSatisfy(page -> assertThat(new Page(page).ids())
                            .as("%s has what tests run", page)
                            .containsExactlyInAnyOrderElementsOf(RUN.get(page)));
        }
    }

    /** One that is indented, or has another mark or more words, would be overlooked. */
    @Test
    void fences_ofAllPages_areThoseOfBlocks() {
        assertThat(RUN.keySet()).allSatisfy(page -> assertThat(
                        Files.readString(DOCS.resolve(page)).lines().filter(line -> line.strip()
                                .matches("(```|~~~).*")))
                .as(page)
                .hasSize(2 * new Page(page).ids().size()));
    }
}
