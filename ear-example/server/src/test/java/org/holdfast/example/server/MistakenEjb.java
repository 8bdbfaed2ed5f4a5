// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Stateless;
import org.holdfast.cdi.Locked;

/** An EJB with a text where it should refer to a factory: no other one is meant. */
@Stateless
public class MistakenEjb implements LockedWork {

    @Locked("#{lock}")
    @Override
    public boolean isHeldMeanwhile(String lock) {
        return new RealNodes().isHeld(lock);
    }
}
