// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Stateless;
import org.holdfast.cdi.Locked;

/** An EJB that refers to a factory. */
@Stateless
public class ReferringEjb implements LockedWork {

    @Locked("#{lock}")
    @Override
    public boolean isHeldMeanwhile(String lock) {
        return new RealNodes().isHeld(lock);
    }
}
