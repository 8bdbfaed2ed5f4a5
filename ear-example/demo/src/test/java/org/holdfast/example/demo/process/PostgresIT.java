// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real PostgreSQL, also where this process is root's. */
@Timeout(120)
class PostgresIT {

    private static final Path DIRECTORY = Path.of("target", "postgres-it");

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    @Test
    void postgres_startedAndClosed_leavesNoProcess() throws Exception {
        long pid;
        try (Postgres postgres = Postgres.start(DIRECTORY, launched -> {})) {
            pid = postgres.pid();
            assertThat(ProcessHandle.of(pid)).isPresent();
            assertThat(Files.readString(postgres.log())).contains("ready to accept connections");
        }
        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    /** Containers often do not allow namespaces: this is what is left there. */
    @Test
    void postgres_ofRootWithoutNamespaces_runsAsAnotherUser() throws Exception {
        assumeTrue(isRoot(), "there is nothing to get away from");
        Path programs = PostgresFiles.find(Files.createDirectories(DIRECTORY).toAbsolutePath())
                .resolve("bin");
        assumeTrue(
                OrdinaryUser.OTHER_USER.failure(programs.resolve("postgres")).isEmpty(),
                "this machine has no setpriv, or that user cannot reach the folder of this build");
        try (Postgres postgres =
                Postgres.start(DIRECTORY.toAbsolutePath(), programs, OrdinaryUser.OTHER_USER, launched -> {})) {
            assertThat(ProcessHandle.of(postgres.pid())
                            .flatMap(process -> process.info().user()))
                    .contains("nobody");
        }
    }

    @Test
    void user_whoseProgramCannotRun_isRefusedWithWhatWasTried() {
        assumeTrue(isRoot(), "nothing has to be tried");
        assertThatThrownBy(() -> OrdinaryUser.find(Path.of("/nowhere/postgres")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("PostgreSQL refuses to run as root")
                .hasMessageContaining("unshare -U /nowhere/postgres --version")
                .hasMessageContaining("setpriv --reuid=nobody")
                .hasMessageContaining("Run the demo as a user who is not root");
    }
}
