// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.health;

import java.util.Locale;

/** Why a node is not asked. */
enum AsideCause {
    /** It did not answer. */
    SUSPECTED,
    /** It is no node to keep locks on, or does not let us inspect it. */
    REFUSED,
    /** It has become the voter a moment ago: it is asked when no vote of the process before it counts any more. */
    SETTLING,
    /** Its clock has jumped. */
    DOUBTED;

    /** Returns the word for it in messages. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
