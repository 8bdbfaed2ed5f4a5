// SPDX-License-Identifier: Apache-2.0
package org.holdfast.tla;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.Set;

/** The model without mistakes. */
final class SoundModel {

    private SoundModel() {}

    /**
     * Checks that it keeps its invariants.
     *
     * @param run its name: no two at the same time have the same
     * @param floor so many states there must be at the least
     * @return the situations that were met
     */
    static Set<String> met(String run, String module, String config, long floor) throws Exception {
        String text = Files.readString(Tlc.MODULES.resolve(config + ".cfg"));

        Tlc.Result result = Tlc.check(run, module, text);

        assertThat(result.complete()).as(result.output()).isTrue();
        assertThat(result.distinct()).as("states of " + config).isGreaterThanOrEqualTo(floor);
        return result.met();
    }
}
