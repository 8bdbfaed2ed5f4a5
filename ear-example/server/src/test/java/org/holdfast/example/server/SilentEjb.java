// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Stateless;
import org.holdfast.cdi.Locked;

/** An EJB that refers to no factory, and so gets the server's. */
@Stateless
public class SilentEjb implements LockedWork {

    @Locked("#{lock}")
    @Override
    public boolean isHeldMeanwhile(String lock) {
        return new RealNodes().isHeld(lock);
    }
}
