// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class EdnWriterTest {

    private static String edn(History history) throws IOException {
        StringBuilder text = new StringBuilder();
        EdnWriter.write(history, Holds.LOCK, text);
        return text.toString();
    }

    @Test
    void history_isWrittenInTheOrderOfTime_asKnossosReadsIt() throws IOException {
        Holds holds = new Holds().alone(7, 4, 9, 12).alone(5, 0, 2, 9);
        assertThat(edn(holds.history)).isEqualTo("""
                        {:process 2, :type :invoke, :f :acquire, :value nil, :time 0}
                        {:process 2, :type :ok, :f :acquire, :value 5, :time 2}
                        {:process 1, :type :invoke, :f :acquire, :value nil, :time 4}
                        {:process 2, :type :invoke, :f :release, :value 5, :time 9}
                        {:process 1, :type :ok, :f :acquire, :value 7, :time 9}
                        {:process 2, :type :ok, :f :release, :value 5, :time 9}
                        {:process 1, :type :invoke, :f :release, :value 7, :time 12}
                        {:process 1, :type :ok, :f :release, :value 7, :time 12}
                        """);
    }

    @Test
    void callerThatWasKilled_isNotKnownToHaveReleased() throws IOException {
        History history = new History();
        history.add(new Hold(3, Holds.LOCK, Kind.EXCLUSIVE, 1, 5, 0, 2, 9, Long.MAX_VALUE));
        assertThat(edn(history)).endsWith("{:process 3, :type :info, :f :release, :value 5, :time 9}\n");
    }

    @Test
    void leaseThatWasOverWhenItCame_isReleasedAfterItCame() throws IOException {
        assertThat(edn(new Holds().alone(5, 0, 9, 2).history))
                .containsSubsequence(":ok, :f :acquire, :value 5, :time 9", ":invoke, :f :release, :value 5, :time 10");
    }
}
