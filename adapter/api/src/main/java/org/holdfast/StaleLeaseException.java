// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

/**
 * A resource has refused a write because a later holder of the lock has written before: the writer's lease was lost.
 */
public final class StaleLeaseException extends LockException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final long token;
    private final long seen;

    /**
     * Reports a writer whose lock has a later holder.
     *
     * @param name the lock's name
     * @param token the fencing token of the writer
     * @param seen the larger one that the resource has seen
     */
    public StaleLeaseException(String name, long token, long seen) {
        super("the write under lock '" + name + "' with token " + token + " was refused: a later holder, with token "
                + seen + ", has written before");
        this.name = name;
        this.token = token;
        this.seen = seen;
    }

    /** {@return the lock's name} */
    public String name() {
        return name;
    }

    /** {@return the fencing token of the writer} */
    public long token() {
        return token;
    }

    /** {@return the larger token that the resource has seen} */
    public long seen() {
        return seen;
    }
}
