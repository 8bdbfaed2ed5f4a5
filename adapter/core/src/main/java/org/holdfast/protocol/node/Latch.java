// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import org.holdfast.DistributedLatch;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LockRequest;

/**
 * One use of a latch.
 *
 * @param name the name, of which the highest generation is in use
 * @param generation which use of the name, from 0
 * @param count how many calls open it
 */
public record Latch(String name, long generation, int count) {

    public Latch {
        LockRequest.of(name); // names are those of locks
        if (generation < 0 || generation > DistributedLatch.MAX_GENERATION) {
            throw new InvalidLockRequestException("generation must be 0 to " + DistributedLatch.MAX_GENERATION
                    + ", was " + generation + " (latch '" + name + "')");
        }
        if (count < 1 || count > DistributedLatch.MAX_COUNT) {
            throw new InvalidLockRequestException(
                    "count must be 1 to " + DistributedLatch.MAX_COUNT + ", was " + count + " (latch '" + name + "')");
        }
    }

    /** Checks the id of a call: nodes keep ids one after another, with a space between them. */
    public static String checkedId(String id) {
        if (!isId(id)) {
            throw new InvalidLockRequestException(
                    "the id of a call must be 1 to 64 letters, digits or ._:- of ASCII, was '" + id + "'");
        }
        return id;
    }

    /** Returns whether a call may have this id. */
    public static boolean isId(String id) {
        return id.matches("[A-Za-z0-9._:-]{1,64}");
    }

    /** Describes it for people. */
    public String describe() {
        return "latch '" + name + "', generation " + generation;
    }
}
