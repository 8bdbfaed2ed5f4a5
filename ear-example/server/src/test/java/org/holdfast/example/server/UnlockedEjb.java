// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Local;
import jakarta.ejb.Stateless;

/** What a component asks for, with no lock of its own. */
@Stateless
@Local(Handler.class)
public class UnlockedEjb implements Handler<String> {

    @Override
    public boolean handle(String what) {
        return false;
    }
}
