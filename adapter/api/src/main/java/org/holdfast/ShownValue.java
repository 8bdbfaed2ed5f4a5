// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.util.regex.Pattern;

/** Values of settings in texts for people, without what is secret. */
final class ShownValue {

    private static final String SECRET = "***";

    /** Addresses of nodes that have no part in which a password could be. */
    private static final Pattern WITHOUT_SECRETS =
            Pattern.compile("(\\s*rediss?://([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]+)?(/[0-9]+)?"
                    + "(\\?durable=(true|false))?\\s*(,|$))+");

    private ShownValue() {}

    /** Returns the value, or {@code ***} where it is or may have a password. */
    static String of(Setting setting, String value) {
        boolean isSecret = setting == Setting.NODES
                ? !WITHOUT_SECRETS.matcher(value).matches()
                : setting.name().endsWith("PASSWORD");
        return isSecret ? SECRET : value;
    }
}
