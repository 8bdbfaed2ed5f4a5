// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.operation;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What a method returns, as far as a lock has to do with it. */
public enum MethodResult {
    NOTHING,
    OPTIONAL,
    BOOLEAN,
    STAGE,
    PUBLISHER,

    /** Of an asynchronous EJB method: others are not deployed. */
    FUTURE,
    OTHER;

    public static MethodResult of(Class<?> type) {
        if (type == void.class) {
            return NOTHING;
        }
        if (type == Optional.class) {
            return OPTIONAL;
        }
        if (type == boolean.class || type == Boolean.class) {
            return BOOLEAN;
        }
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return STAGE;
        }
        if (type == Flow.Publisher.class) {
            return PUBLISHER;
        }
        return Future.class.isAssignableFrom(type) ? FUTURE : OTHER;
    }

    /** Returns whether work goes on when the method has returned, and tells when it is done. */
    public boolean goesOn() {
        return this == STAGE || this == PUBLISHER;
    }

    /** Returns whether there is a value that says that the method did not run. */
    boolean canBeSkipped() {
        return this == NOTHING || this == OPTIONAL || this == BOOLEAN;
    }

    /** Returns that value. */
    @Nullable
    public Object skipped() {
        if (!canBeSkipped()) {
            throw new IllegalStateException("nothing of this type says that the method did not run");
        }
        if (this == OPTIONAL) {
            return Optional.empty();
        }
        return this == BOOLEAN ? Boolean.FALSE : null;
    }
}
