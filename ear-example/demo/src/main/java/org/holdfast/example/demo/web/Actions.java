// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import java.util.List;

/** What a page can ask for. Called by any number of threads; returns at once. */
@FunctionalInterface
public interface Actions {

    /**
     * Begins an action.
     *
     * @param path what stands behind {@code /actions/}, part by part, for example {@code nodes}, {@code 2}, {@code
     *     kill}
     */
    ActionResult begin(List<String> path);
}
