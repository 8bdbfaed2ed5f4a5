// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import org.holdfast.Lease;
import org.holdfast.LeaseLoss;
import org.holdfast.cdi.LeaseAcquired;
import org.holdfast.cdi.LeaseLost;
import org.holdfast.cdi.LeaseReleased;
import org.holdfast.cdi.LockTimedOut;

/** Notifies the application's observers. An event without an observer is not made. */
public final class LockEvents {

    private static final System.Logger LOG = System.getLogger(LockEvents.class.getName());

    private final BeanManager beans;
    private final boolean acquired;
    private final boolean released;
    private final boolean lost;
    private final boolean timedOut;

    /** @param observed the types of all that is observed in the application */
    public LockEvents(BeanManager beans, Set<Type> observed) {
        this.beans = beans;
        this.acquired = isObserved(LeaseAcquired.class, observed);
        this.released = isObserved(LeaseReleased.class, observed);
        this.lost = isObserved(LeaseLost.class, observed);
        this.timedOut = isObserved(LockTimedOut.class, observed);
    }

    private static boolean isObserved(Class<?> event, Set<Type> observed) {
        return observed.stream().anyMatch(type -> type instanceof Class<?> known && known.isAssignableFrom(event));
    }

    /** Returns whether the application observes how a lease ends. */
    boolean isEndObserved() {
        return released || lost;
    }

    boolean isLossObserved() {
        return lost;
    }

    void acquired(Method method, Lease lease) {
        if (acquired) {
            fire(LeaseAcquired.class, new LeaseAcquired(method, lease.names(), lease.token()));
        }
    }

    void released(Method method, Lease lease) {
        if (released) {
            fire(LeaseReleased.class, new LeaseReleased(method, lease.names(), lease.token()));
        }
    }

    void lost(Method method, LeaseLoss loss) {
        if (lost) {
            fire(LeaseLost.class, new LeaseLost(method, loss));
        }
    }

    void timedOut(Method method, List<String> names, boolean skipped) {
        if (timedOut) {
            fire(LockTimedOut.class, new LockTimedOut(method, names, skipped));
        }
    }

    private <T> void fire(Class<T> type, T event) {
        try {
            beans.getEvent().select(type).fire(event);
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0502: an observer of " + type.getSimpleName() + " failed; the lock is as it was",
                    e);
        }
    }
}
