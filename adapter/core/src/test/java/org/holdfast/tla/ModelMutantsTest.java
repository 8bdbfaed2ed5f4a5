// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes in the model that TLC must find: an invariant that cannot fail says nothing. */
@Tag("nightly")
class ModelMutantsTest {

    private static final Pattern CHECKS = Pattern.compile("(?m)^(INVARIANTS|PROPERTIES|CONSTRAINT) .*\n");

    /** A mutant, the configuration, the invariant, and what of the configuration is another for it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "quorumOfHalf,           order,   OneHolder,",
        "takenFromOthers,        order,   OneHolder,",
        "driftNotSubtracted,     order,   OneHolder,",
        "validityFromTheReply,   order,   OneHolder,",
        "tokenNotCompared,       order,   TokensGrow,",
        "guardOff,               restart, OneHolder,",
        "quarantineHalfAsLong,   restart, OneHolder, Ttl = 3; Ttls = {2}; Quarantine = 3; Renewers = {}",
        "tokenSentLate,          restart, TokensGrow, Prompt = 0; Renewers = {}",
        "noTombstone,            node,    NothingComesBack,",
        "healedWithoutToken,     node,    NothingComesBack,",
        "releaseThatIsHealed,    node,    NothingComesBack,",
        "releaseOfAnyOwner,      node,    OthersUntouched,",
        "renewalTakesFromOthers, node,    OthersUntouched,",
        "healedInQuarantine,     node,    QuietNodesGrantNothing,",
        "renewedAfterTheEnd,     node,    LostStaysLost,",
    })
    void lock_withAMistake_breaksTheInvariant(String mutant, String config, String invariant, @Nullable String other)
            throws Exception {
        assertRefuted("HoldfastRuns", config, mutant, invariant, other);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "readerAdmittedWhileTheLockIsHeldAlone, readers,      WriterIsAlone, Writers = {1}; Renewers = {}",
        "writerAdmittedWhileOthersRead,         readers,      WriterIsAlone,",
        "releaseOfOneReaderForAll,              readers-node, WriterIsAlone, Writers = {3}",
        "entriesDeletedWhileInForce,            readers-node, WriterIsAlone, Writers = {3}",
        "lockEndsWithItsFirstReader,            readers-node, WriterIsAlone, Writers = {3}",
        "readersGraveMissing,                   readers-node, NothingComesBack,",
        "readersTokenNotCompared,               readers-node, TokensGrow,",
    })
    void readers_withAMistake_breakTheInvariant(String mutant, String config, String invariant, @Nullable String other)
            throws Exception {
        assertRefuted("ReadersRuns", config, mutant, invariant, other);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "votesCountForEver,           voter,",
        "oneSentinelIsEnough,         voter,",
        "nextPrimaryAskedAtOnce,      voter,",
        "settledWithoutDrift,         voter,",
        "noQuarantineAfterAPromotion, voter,",
        "epochsMixed,                 voter-back,",
    })
    void voterBehindSentinels_withAMistake_hasTwoHolders(String mutant, String config, @Nullable String other)
            throws Exception {
        assertRefuted("VoterRuns", config, mutant, "OneHolder", other);
    }

    /** Asks for this invariant alone: another one may fail earlier. */
    private static void assertRefuted(
            String module, String config, String mutant, String invariant, @Nullable String other) throws Exception {
        String text = Files.readString(Tlc.MODULES.resolve(config + ".cfg"));
        String kind = text.matches("(?s).*INVARIANTS[^\n]* " + invariant + "\\b.*") ? "INVARIANT " : "PROPERTY ";
        String mutated = with(CHECKS.matcher(text).replaceAll(""), "Mutants = {\"" + mutant + "\"}");
        for (String constant : other == null ? new String[0] : other.split("; ")) {
            mutated = with(mutated, constant);
        }

        Tlc.Result result = Tlc.check(mutant, module, mutated + kind + invariant + "\n");

        assertThat(result.violated()).as(result.output()).contains(invariant);
    }

    /** Returns the configuration with another value for a constant, which it must have. */
    private static String with(String config, String constant) {
        String name = constant.substring(0, constant.indexOf(' '));
        Matcher line = Pattern.compile("(?m)^  " + name + " .*$").matcher(config);
        assertThat(line.find()).as(name).isTrue();
        return line.replaceFirst(Matcher.quoteReplacement("  " + constant));
    }
}
