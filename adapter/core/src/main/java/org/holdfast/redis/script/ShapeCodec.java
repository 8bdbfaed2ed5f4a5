// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.util.List;
import java.util.stream.Stream;
import org.holdfast.protocol.node.Target;

/** What is particular to each kind of target on a node: its scripts and its keys. */
enum ShapeCodec {

    /** An owner has names alone: a lock and a fence for each. */
    ALONE(LockScript.ACQUIRE, LockScript.ACQUIRE_IN_TURN, LockScript.RENEW, LockScript.RELEASE),

    /** As alone, and the readers are entries of one more key, which end by themselves. */
    READING(
            LockScript.ACQUIRE_READING,
            LockScript.ACQUIRE_READING,
            LockScript.RENEW_READING,
            LockScript.RELEASE_READING),

    /** Each permit is a lock that an owner has alone, below the semaphore's name. */
    PERMIT(LockScript.ACQUIRE, LockScript.ACQUIRE_IN_TURN, LockScript.RENEW, LockScript.RELEASE) {
        @Override
        List<String> bases(String prefix, Target target) {
            return List.of(base(prefix, target.name()) + "permit-" + ((Target.Permit) target).number() + ":");
        }
    };

    private final LockScript acquire;
    private final LockScript acquireInTurn;
    private final LockScript renew;
    private final LockScript release;

    ShapeCodec(LockScript acquire, LockScript acquireInTurn, LockScript renew, LockScript release) {
        this.acquire = acquire;
        this.acquireInTurn = acquireInTurn;
        this.renew = renew;
        this.release = release;
    }

    static ShapeCodec of(Target target) {
        if (target.isShared()) {
            return READING;
        }
        return target.isPermit() ? PERMIT : ALONE;
    }

    LockScript acquire(boolean inTurn) {
        return inTurn ? acquireInTurn : acquire;
    }

    LockScript renew() {
        return renew;
    }

    LockScript release() {
        return release;
    }

    /** Returns the key of the readers, if its claims need one. */
    List<String> readers(String prefix, Target target) {
        return this == READING ? List.of(base(prefix, target.name()) + "readers") : List.of();
    }

    /** Returns the key where readers of a lock would be, if there can be any, whichever way it is claimed. */
    Stream<String> possibleReaders(String prefix, Target target) {
        return this == PERMIT ? Stream.empty() : Stream.of(base(prefix, target.name()) + "readers");
    }

    /** Returns what the keys of each lock begin with. */
    List<String> bases(String prefix, Target target) {
        return target.names().stream().map(name -> base(prefix, name)).toList();
    }

    /**
     * The braces are a hash tag: in a cluster all keys of a lock are in one slot. A name that closes the brace at once
     * would leave an empty tag, which is none.
     */
    static String base(String prefix, String name) {
        return prefix + (name.startsWith("}") ? ":-{-" : ":{") + name + "}:";
    }
}
