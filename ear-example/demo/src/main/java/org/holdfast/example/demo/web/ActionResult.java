// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

/** What became of a request for an action. */
public sealed interface ActionResult {

    /** The action has begun; the state shows what it does. */
    record Begun() implements ActionResult {}

    /**
     * The action is not possible now.
     *
     * @param reason a sentence for people
     */
    record Refused(String reason) implements ActionResult {}

    /** There is no such action. */
    record Unknown() implements ActionResult {}
}
