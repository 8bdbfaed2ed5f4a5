// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Local;
import jakarta.ejb.Stateless;
import org.holdfast.cdi.Locked;

/** An EJB behind a view with a type variable: its callers call a method that the compiler has made. */
@Stateless
@Local(Handler.class)
public class GenericLockedEjb implements Handler<String> {

    @Locked("generic-#{what}")
    @Override
    public boolean handle(String what) {
        return new RealNodes().isHeld("generic-" + what);
    }
}
