// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.holdfast.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong with arguments and settings is found before a node is asked: no node is there. */
@Timeout(60)
class UsageTest {

    private final Shell shell = new Shell("redis://127.0.0.1:1");

    @Test
    void name_thatBeginsWithAnAt_isNoFileOfArguments(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("prod"), "--no-such-option");
        assertThat(shell.run("holders", "@" + file)).as(shell.err()).isEqualTo(Main.UNAVAILABLE);
        assertThat(shell.err()).contains("'@" + file + "'");
    }

    @Test
    void password_ofSentinelsOnTheCommandLine_isRefusedAndNotRepeated() {
        for (String nodes : new String[] {
            "redis+sentinel://a:1,b:2/master?sentinelPassword=secret",
            "redis+sentinel://a:1,b:2/master?sentinelUser=ada&sentinelPassword=secret",
            "redis+sentinel://:not,secret@a:1,b:2/master"
        }) {
            assertThat(shell.run("nodes", "--nodes", nodes)).isEqualTo(Main.USAGE);
            assertThat(shell.err()).contains("HOLDFAST_PASSWORD_FILE").doesNotContain("secret");
        }
    }

    @Test
    void nodes_withUsersAndPorts_haveNoPassword() {
        String nodes = "redis://a:6379,redis://ada@b:6379,redis+sentinel://ada@c:1,d:2/master?sentinelUser=bob";
        assertThat(target("--nodes", nodes).settings()).containsEntry("nodes", nodes);
    }

    @Test
    void name_thatTheLocaleCannotHave_isRefusedWithWhatToDo() {
        assertThat(shell.run("holders", "schlo\uFFFD")).isEqualTo(Main.USAGE);
        assertThat(shell.err()).contains("LC_ALL=C.UTF-8");
        assertThat(shell.run("release", "schlo\uFFFD", "--reason", "hangs")).isEqualTo(Main.USAGE);
        assertThat(Named.isReadable("schlo?", "ANSI_X3.4-1968")).isFalse();
        assertThat(Named.isReadable("schlo?", "UTF-8")).isTrue();
        assertThat(Named.isReadable("schloss", "ANSI_X3.4-1968")).isTrue();
        assertThat(Named.isReadable("schlo?", "no-such-charset")).isTrue();
    }

    @Test
    void request_thatIsNotAllowed_isAUsageError() {
        assertThat(shell.run("holders", "x".repeat(LockRequest.MAX_NAME_BYTES + 1)))
                .isEqualTo(Main.USAGE);
        assertThat(shell.err()).startsWith("HF0204").doesNotContain("\tat ");
        assertThat(shell.run("holders", "s", "--permits", "1001")).isEqualTo(Main.USAGE);
        assertThat(shell.err()).startsWith("HF0204");
    }

    @Test
    void durations_longerThanAllNanoseconds_areForEver() {
        assertThat(target("--patience", "P400000D").goesOn(System.nanoTime())).isTrue();
        assertThat(shell.run("watch", "--for", "PT-400000000H")).as(shell.err()).isZero();
    }

    @Test
    void nodeTimeout_thatIsNotSet_letsAFirstTlsConnectionBeMade() {
        assertThat(target().settings()).containsEntry("nodeTimeoutMillis", "1000");
        assertThat(with("HOLDFAST_NODE_TIMEOUT_MILLIS", "300").settings()).containsEntry("nodeTimeoutMillis", "300");
    }

    @Test
    void nodeTimeout_thatIsNotSet_isNoLongerThanTheTtlAllows() {
        assertThat(with("HOLDFAST_TTL_MILLIS", "1500").settings()).containsEntry("nodeTimeoutMillis", "750");
        assertThat(with("HOLDFAST_MAX_LEASE_TTL_MILLIS", "1000").settings()).containsEntry("nodeTimeoutMillis", "500");
        Target shrinking = with("HOLDFAST_PREVIOUS_MAX_LEASE_TTL_MILLIS", "400");
        assertThat(shrinking.settings()).containsEntry("nodeTimeoutMillis", "200");
        shrinking.open().close();
        assertThat(with("HOLDFAST_TTL_MILLIS", "soon").settings()).doesNotContainKey("nodeTimeoutMillis");
    }

    private static Target with(String variable, String value) {
        Map<String, String> environment = new HashMap<>(Map.of("HOLDFAST_NODES", "redis://127.0.0.1:1"));
        environment.put(variable, value);
        return new Target(environment);
    }

    private static Target target(String... options) {
        return picocli.CommandLine.populateCommand(new Target(Map.of()), options);
    }
}
