// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.operation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.holdfast.LeaseScope;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;
import org.holdfast.Release;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.OnLoss;
import org.holdfast.cdi.internal.name.NameTemplate;

/**
 * One method and its lock, understood and checked: all that a call needs to know.
 *
 * @param method what runs under the lock
 * @param result what it returns
 * @param names how the lock's names come from the arguments
 * @param times how long things take
 * @param factory the JNDI name of the factory; empty for the one that is found by itself
 */
public record LockedOperation(
        Method method,
        MethodResult result,
        List<NameTemplate> names,
        LockMode mode,
        boolean fair,
        Times times,
        LockScope scope,
        OnBusy onBusy,
        OnLoss onLoss,
        Release release,
        Optional<String> factory) {

    /** Empty is for the default. */
    public record Times(
            Optional<Duration> waitTimeout,
            Optional<Duration> ttl,
            Optional<Duration> maxHold,
            Optional<Duration> atLeast) {}

    public LockedOperation {
        names = List.copyOf(names);
    }

    /** Returns whether the lock is held for what goes on when the method has returned. */
    public boolean goesOn() {
        return result.goesOn();
    }

    /** Returns whether the lock is the transaction's and belongs to it, if one is active. */
    public boolean isOfTransaction() {
        return scope == LockScope.TRANSACTION && !goesOn();
    }

    /** Returns what to ask for at a call: a lease that needs no connection while the method runs. */
    public LockRequest request(Object[] arguments) {
        return new LockRequest(
                resolve(arguments),
                mode,
                0,
                fair,
                onBusy == OnBusy.WAIT ? times.waitTimeout() : Optional.of(Duration.ZERO),
                times.ttl(),
                true,
                times.maxHold(),
                times.atLeast(),
                onLoss == OnLoss.INTERRUPT,
                leaseScope(),
                release);
    }

    private List<String> resolve(Object[] arguments) {
        if (names.size() == 1) {
            return List.of(names.get(0).resolve(arguments));
        }
        Stream<String> resolved = names.stream().map(name -> name.resolve(arguments));
        return resolved.distinct().toList(); // a call that moves something from a place to itself needs one lock
    }

    private LeaseScope leaseScope() {
        if (goesOn()) {
            return LeaseScope.DETACHED;
        }
        return scope == LockScope.TRANSACTION ? LeaseScope.HOLDER : LeaseScope.THREAD;
    }
}
