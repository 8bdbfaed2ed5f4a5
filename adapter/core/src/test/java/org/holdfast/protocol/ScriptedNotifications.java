// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.holdfast.protocol.queue.ReleaseNotifications;

/** Announcements that the test makes. */
public final class ScriptedNotifications implements ReleaseNotifications {

    /** The locks that are subscribed to, each as often as it is. */
    public final List<String> listening = new ArrayList<>();

    public boolean heard;
    private Listener listener;
    private ObjLongConsumer<String> forced;

    public void announceForced(String lock, long token) {
        forced.accept(lock, token);
        listener.released(lock, Long.toString(token));
    }

    public void announce(String lock) {
        announce(lock, "");
    }

    /** @param message what is published with it */
    public void announce(String lock, String message) {
        listener.released(lock, message);
    }

    @Override
    public void onRelease(Listener told) {
        listener = told;
    }

    @Override
    public void onForcedRelease(ObjLongConsumer<String> told) {
        forced = told;
    }

    @Override
    public void subscribe(String lock) {
        listening.add(lock);
    }

    @Override
    public void unsubscribe(String lock) {
        listening.remove(lock);
    }

    @Override
    public boolean isSubscribed(String lock) {
        return heard && listening.contains(lock);
    }
}
