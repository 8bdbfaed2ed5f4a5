// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.util.ArrayList;
import java.util.List;
import org.holdfast.LockHolder;
import org.holdfast.LockListing;
import org.holdfast.LockState;
import org.holdfast.protocol.node.LogText;

/** Describes locks to people, a line for each holder. */
final class LockLines {

    private static final String SEMAPHORE = ", unless it is a semaphore: ask with its number of permits";

    private LockLines() {}

    static List<String> of(LockListing listing) {
        List<String> lines = new ArrayList<>();
        listing.locks().forEach(lock -> lines.addAll(of(lock)));
        if (!listing.complete()) {
            lines.add("There are more locks than these.");
        }
        if (listing.skipped() > 0) {
            lines.add("Keys that no lock can have were left out: " + listing.skipped());
        }
        return lines;
    }

    /** Returns one line where there is no holder. */
    static List<String> of(LockState lock) {
        String waiters = waiters(lock);
        return lock.holders().isEmpty()
                ? List.of(LogText.line(LogText.quoted(lock.name()) + " is free"
                        + (lock.request().permits() == 0 ? SEMAPHORE : "") + waiters))
                : lock.holders().stream()
                        .map(holder -> LogText.line(describe(holder) + waiters))
                        .toList();
    }

    static String of(LockHolder holder) {
        return LogText.line(describe(holder));
    }

    private static String waiters(LockState lock) {
        return permits(lock.request().permits()) + "; " + lock.inLine()
                + (lock.inLine() == 1 ? " caller waits" : " callers wait") + " in line, "
                + lock.listening() + (lock.listening() == 1 ? " process waits" : " processes wait")
                + " for its release";
    }

    /** A listing knows only which permits are held. */
    private static String permits(int permits) {
        return permits == 0 ? "" : "; a semaphore of " + permits + " permits, or more where it is listed";
    }

    private static String describe(LockHolder holder) {
        return LogText.quoted(holder.name()) + ": " + holder.mode() + ", held by " + LogText.quoted(holder.thread())
                + " of process "
                + holder.pid() + " on host " + holder.host() + " since " + holder.since() + " with token "
                + holder.token() + ", for " + holder.remaining().toMillis() + " ms more if it is not renewed, on "
                + holder.nodeCount() + (holder.nodeCount() == 1 ? " node" : " nodes");
    }
}
