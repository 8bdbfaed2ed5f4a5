// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

/** Records what happens in a world in the words of a model. */
interface Recording extends Observer {

    /** Returns what was recorded, as a record in TLA+. */
    String text(String name);
}
