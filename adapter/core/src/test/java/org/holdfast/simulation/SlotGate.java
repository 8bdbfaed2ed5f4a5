// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.util.List;
import java.util.Optional;
import org.holdfast.memory.MemoryRedis;

/** Which keys a process may be asked for, as a member of a cluster. */
interface SlotGate {

    /** That of a process that is no member of a cluster. */
    SlotGate OPEN = (keys, arguments) -> Optional.empty();

    /**
     * Returns the error with which a script call is answered.
     *
     * @param keys that the call names
     * @param arguments some of which may be keys that the script reads
     */
    Optional<String> refusal(List<String> keys, List<String> arguments);

    /** Answers with an error where the process may not be asked for a key. */
    default void require(String key) {
        refusal(List.of(key), List.of()).ifPresent(error -> {
            throw new MemoryRedis.ErrorReply(error);
        });
    }
}
