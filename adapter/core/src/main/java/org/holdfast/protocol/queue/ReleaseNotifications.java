// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.queue;

import java.util.function.ObjLongConsumer;

/** Reports locks that other processes have released. */
public interface ReleaseNotifications {

    /** Reports nothing: a waiter has to ask the nodes. */
    ReleaseNotifications NONE = new ReleaseNotifications() {
        @Override
        public void onRelease(Listener listener) {}

        @Override
        public void subscribe(String lock) {}

        @Override
        public void unsubscribe(String lock) {}

        @Override
        public boolean isSubscribed(String lock) {
            return false;
        }
    };

    /** Receives what nodes report. */
    interface Listener {

        /**
         * A lock may be free: it was released, or from now on its releases will be received, or will not be received
         * any more. Must not block.
         *
         * @param message what was published with it: of an ordinary release the lock's owner; empty if nothing was
         */
        void released(String lock, String message);
    }

    /** Sets the listener for releases. Called once, before anything else. */
    void onRelease(Listener listener);

    /**
     * Sets the listener for forced releases, which is called before the waiters are woken. Called once, before anything
     * else.
     *
     * @param listener receives the name of a lock that an operator has taken away, and the token of that forced
     *     release. Must not block
     */
    default void onForcedRelease(ObjLongConsumer<String> listener) {}

    /** Listens for releases of the lock, once more for each call. Does not block. */
    void subscribe(String lock);

    /** Takes back one {@link #subscribe}. Does not block. */
    void unsubscribe(String lock);

    /** Returns whether so many nodes are subscribed to that no release can be missed, as far as is known. */
    boolean isSubscribed(String lock);
}
