// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Describes failures in words, for logs and for answers, and tells whose they are. */
public final class Failures {

    private Failures() {}

    /** Returns what went wrong in words: the innermost message says it best. */
    public static String describe(Throwable failure) {
        Throwable innermost = innermost(failure);
        String message = innermost.getMessage();
        if (message == null || message.isBlank()) {
            return innermost.getClass().getSimpleName();
        }
        if (innermost instanceof ConnectException && message.contains("refused")) {
            return message + ": no process listens there, is the node running and the port right?";
        }
        return message.startsWith("WRONGPASS") ? "its user or password is wrong: " + message : message;
    }

    /** Returns the cause that has no other cause. */
    public static Throwable innermost(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        return innermost;
    }

    /** Returns whether a failure has its reason in a lookup of a host that took too long. */
    public static boolean isOverdueLookup(Throwable failure) {
        return innermost(failure) instanceof HostResolver.OverdueException;
    }

    /** Returns whether there is no connection for a reason that is not the node's. */
    static boolean saysNothingOfNode(Throwable failure) {
        return isOverdueLookup(failure) || LocalFailureException.isReasonOf(failure);
    }

    /** Returns whether a connection has ended, unlike one on which the node refuses us or does not answer. */
    public static boolean isEnd(RuntimeException failure) {
        return failure instanceof JedisConnectionException && !(innermost(failure) instanceof SocketTimeoutException);
    }
}
