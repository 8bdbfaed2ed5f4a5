// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.node;

import java.util.List;
import java.util.stream.IntStream;
import org.holdfast.LockMode;
import org.holdfast.LockRequest;

/**
 * What is particular to each mode of a lock: how its callers wait, which locks keep them out, and what they claim on
 * the nodes. What is particular to a claim is in {@link Target}.
 */
public enum LockShape {

    /** One owner has one or several names. */
    EXCLUSIVE,

    /** Owners that only read share one name. */
    READ {
        @Override
        public boolean isInTurn(boolean fair) {
            return true;
        }

        @Override
        public boolean reads() {
            return true;
        }

        @Override
        public boolean isKeptOutBy(Target held) {
            return super.isKeptOutBy(held) && !held.isShared();
        }

        @Override
        public Target target(List<String> names, int permit) {
            return new Target.Shared(names.get(0));
        }
    },

    /** One owner has one name, in turn with readers. */
    WRITE {
        @Override
        public boolean isInTurn(boolean fair) {
            return true;
        }
    },

    /** Each owner has one of several permits. */
    PERMIT {
        @Override
        public boolean hasPermits() {
            return true;
        }

        @Override
        public boolean isKeptOutBy(Target held) {
            return false;
        }

        @Override
        public Target target(List<String> names, int permit) {
            return new Target.Permit(names.get(0), permit);
        }

        @Override
        List<Target> targets(List<String> names, int permits) {
            return IntStream.range(0, permits)
                    .mapToObj(permit -> target(names, permit))
                    .toList();
        }

        @Override
        public LockMode found(boolean reads, LockMode written) {
            return LockMode.PERMIT;
        }
    };

    /** Returns the shape of what is asked for. */
    public static LockShape of(LockRequest request) {
        return valueOf(request.mode().name());
    }

    /**
     * Returns whether the nodes know the waiters and their order.
     *
     * @param fair whether that is asked for
     */
    public boolean isInTurn(boolean fair) {
        return fair;
    }

    /** Returns whether a lease is only to read. */
    public boolean reads() {
        return false;
    }

    /** Returns whether there are several to choose from, which have waiters and owners of their own and no re-entry. */
    public boolean hasPermits() {
        return false;
    }

    /** Returns whether what this process has under the same name keeps a caller out. */
    public boolean isKeptOutBy(Target held) {
        return !held.isPermit();
    }

    /**
     * Returns what a caller claims.
     *
     * @param names what it asks for, in the order that every caller uses
     * @param permit which of several, where there are several
     */
    public Target target(List<String> names, int permit) {
        return new Target.Exclusive(names);
    }

    /** Returns everything that holders of what is asked for may have, one by one. */
    public static List<Target> targets(LockRequest request) {
        return of(request).targets(request.names(), request.permits());
    }

    List<Target> targets(List<String> names, int permits) {
        return names.stream().<Target>map(Target.Exclusive::new).toList();
    }

    /**
     * Returns the mode in which a holder has what was asked for in this one. The place where the holder was found is
     * more reliable than what is written there.
     *
     * @param reads whether it was found among readers
     * @param written the mode that is written there
     */
    public LockMode found(boolean reads, LockMode written) {
        if (reads) {
            return LockMode.READ;
        }
        return written == LockMode.WRITE ? LockMode.WRITE : LockMode.EXCLUSIVE;
    }
}
