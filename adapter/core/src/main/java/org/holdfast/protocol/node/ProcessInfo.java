// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import org.holdfast.LockHolder;

/**
 * The process that a holder is in, as people find it.
 *
 * @param host the machine: printable ASCII without blanks, cut off after 40 characters
 * @param pid the process there; 0 if it is unknown
 */
public record ProcessInfo(String host, long pid) {

    public static final ProcessInfo UNKNOWN = new ProcessInfo(LockHolder.UNKNOWN, 0);

    private static final int MOST_OF_HOST = 40;

    public ProcessInfo {
        host = host.isBlank()
                ? LockHolder.UNKNOWN
                : LogText.ascii(host, MOST_OF_HOST).replace(' ', '?');
        if (pid < 0) {
            throw new IllegalArgumentException("a process has no number below 0, was " + pid);
        }
    }
}
