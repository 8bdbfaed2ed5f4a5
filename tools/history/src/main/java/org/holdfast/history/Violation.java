// SPDX-License-Identifier: Apache-2.0
package org.holdfast.history;

/**
 * A rule that a history breaks.
 *
 * @param rule which one
 * @param lock the name of the lock
 * @param text what was seen
 */
public record Violation(Rule rule, String lock, String text) {

    @Override
    public String toString() {
        return rule + " of '" + lock + "': " + text;
    }
}
