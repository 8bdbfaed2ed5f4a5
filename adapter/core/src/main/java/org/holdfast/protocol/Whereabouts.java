// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import org.holdfast.LockHolder;

/**
 * The process that a holder is in, as people find it.
 *
 * @param host the machine: printable ASCII without blanks, cut off after 40 characters
 * @param pid the process there; 0 if it is unknown
 */
public record Whereabouts(String host, long pid) {

    static final Whereabouts UNKNOWN = new Whereabouts(LockHolder.UNKNOWN, 0);

    private static final int MOST_OF_HOST = 40;

    public Whereabouts {
        host = host.isBlank()
                ? LockHolder.UNKNOWN
                : Printable.ascii(host, MOST_OF_HOST).replace(' ', '?');
        if (pid < 0) {
            throw new IllegalArgumentException("a process has no number below 0, was " + pid);
        }
    }
}
