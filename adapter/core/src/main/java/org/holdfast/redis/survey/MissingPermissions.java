// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.survey;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.holdfast.LockException;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.redis.script.LockScript;

/** Tells an operator whose user lacks a permission from one that reaches too few nodes. */
public final class MissingPermissions {

    private MissingPermissions() {}

    /**
     * Returns what to report where too few nodes answered a question. That is a missing permission, if the others would
     * have been enough.
     *
     * @param what what was asked for, for people
     * @param nodes how many there are
     */
    public static LockException explain(String what, int nodes, QuorumUnavailableException failure) {
        Map<String, String> refusals = new TreeMap<>(failure.failures());
        refusals.values().removeIf(cause -> !LockScript.isRefusal(cause));
        boolean othersSuffice = failure.failures().size() - refusals.size() <= nodes / 2;
        return othersSuffice
                ? of(
                        what,
                        refusals.entrySet().stream()
                                .map(each -> each.getKey() + ": " + each.getValue())
                                .toList())
                : failure;
    }

    /** @param refusals what each node said, behind its address */
    static LockException of(String what, List<String> refusals) {
        return new LockException("HF0316: " + what + " cannot be had, since the user of a node lacks the permission: "
                + String.join("; ", refusals));
    }
}
