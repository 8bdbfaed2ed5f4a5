// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/** Tells of locks that other processes have released. */
public interface Announcements {

    /** Tells of nothing: who waits has to ask. */
    Announcements NONE = new Announcements() {
        @Override
        public void tell(Consumer<String> listener) {}

        @Override
        public void listen(String lock) {}

        @Override
        public void ignore(String lock) {}

        @Override
        public boolean isHeard(String lock) {
            return false;
        }
    };

    /**
     * Sets who is told. Called once, before anything else.
     *
     * @param listener gets the name of a lock that may be free: it was released, or from now on it will be heard when it is.
     *     Must not block
     */
    void tell(Consumer<String> listener);

    /**
     * Sets who is told of forced releases, before those who wait are. Called once, before anything else.
     *
     * @param listener gets the name of a lock that an operator has taken away, and the token of that. Must not block
     */
    default void tellForced(ObjLongConsumer<String> listener) {}

    /** Listens for releases of the lock, once more for each call. Does not block. */
    void listen(String lock);

    /** Takes back one {@link #listen}. Does not block. */
    void ignore(String lock);

    /** Returns whether so many nodes are listened to that no release can go unheard, as far as is known. */
    boolean isHeard(String lock);
}
