// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import org.holdfast.cdi.Locked;

/** No bean in a module where beans have scopes: whatever makes one makes it with {@code new}. */
public class NoLockedBean {

    @Locked("plain")
    public void work() {}
}
