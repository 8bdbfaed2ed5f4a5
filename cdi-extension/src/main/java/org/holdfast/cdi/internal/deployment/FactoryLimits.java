// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.cdi.internal.operation.LockedOperation;

/** Compares what locked methods ask for with what a factory allows, before one of them is called and refused. */
final class FactoryLimits {

    /** What is asked for does not depend on the name. */
    private static final String ANY_NAME = "*";

    private static final String ADVICE =
            ". Ask for less; or raise maxLeaseTtlMillis in all processes, and then a node that"
                    + " has restarted grants no new lock for as long";

    private FactoryLimits() {}

    /** Returns whether an operation asks for anything that a factory may refuse. */
    static boolean concern(LockedOperation operation) {
        return operation.times().ttl().isPresent()
                || operation.times().atLeast().isPresent();
    }

    /** Returns a sentence for each operation that the factory would refuse whenever it is called. */
    static List<String> refused(List<LockedOperation> operations, LockConnectionFactory factory) {
        List<String> refused = new ArrayList<>();
        for (LockedOperation operation : operations) {
            whyRefused(operation, factory).ifPresent(reason -> refused.add(operation.method() + ": " + reason));
        }
        return refused;
    }

    private static Optional<String> whyRefused(LockedOperation operation, LockConnectionFactory factory) {
        LockRequest request = LockRequest.of(ANY_NAME);
        if (operation.times().ttl().isPresent()) {
            request = request.ttl(operation.times().ttl().get());
        }
        if (operation.times().atLeast().isPresent()) {
            request = request.atLeast(operation.times().atLeast().get());
        }
        try {
            factory.validate(request);
            return Optional.empty();
        } catch (InvalidLockRequestException e) {
            return Optional.of(
                    Objects.toString(e.getMessage(), e.toString()).replace(" (lock '" + ANY_NAME + "')", "") + ADVICE);
        } catch (RuntimeException e) {
            return Optional
                    .empty(); // it is closed, or its adapter is, or it is made by the application: the call says so
        }
    }
}
