// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.holdfast.LeaseScope;
import org.holdfast.LockRequest;
import org.holdfast.cdi.Locked;

/**
 * One method and its lock, understood and checked.
 *
 * @param method what runs under the lock
 * @param name how the lock's name comes from the arguments
 * @param waitTimeout empty for the factory's default
 * @param ttl empty for the factory's default
 */
record LockedOperation(Method method, NameTemplate name, Optional<Duration> waitTimeout, Optional<Duration> ttl) {

    /** @throws IllegalArgumentException if a member of the annotation is not valid */
    static LockedOperation of(Method method, Locked locked) {
        Optional<Duration> wait = duration("waitTimeout", locked.waitTimeout(), Duration.ZERO);
        Optional<Duration> ttl = duration("ttl", locked.ttl(), LockRequest.MIN_TTL);
        return new LockedOperation(method, NameTemplate.parse(locked.value(), method), wait, ttl);
    }

    private static Optional<Duration> duration(String member, String text, Duration least) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            Duration duration = Duration.parse(text);
            if (duration.compareTo(least) >= 0) {
                return Optional.of(duration);
            }
        } catch (DateTimeParseException e) {
            // said below, as for any other value that is not allowed
        }
        throw new IllegalArgumentException(
                member + " must be an ISO-8601 duration of at least " + least + ", was '" + text + "'");
    }

    /** Returns what to ask for at a call: a lease that needs no connection while the method runs. */
    LockRequest request(Object[] arguments) {
        LockRequest request = LockRequest.of(name.resolve(arguments)).scope(LeaseScope.HOLDER);
        LockRequest timed = waitTimeout.map(request::waitTimeout).orElse(request);
        return ttl.map(timed::ttl).orElse(timed);
    }
}
