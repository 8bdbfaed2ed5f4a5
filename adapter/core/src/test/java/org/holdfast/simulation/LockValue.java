// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

/**
 * What scripts write as the value of a lock's key.
 *
 * @param lingersMicros how long the key lasts after the lease
 * @param owner what is written as the owner
 */
record LockValue(long lingersMicros, String owner) {

    static LockValue parse(String value) {
        String[] words = value.split(" ", 3);
        return new LockValue(Long.parseLong(words[0]), words[2]);
    }
}
