// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.admin;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;
import org.holdfast.protocol.node.LogText;
import org.holdfast.protocol.node.ProcessInfo;

/**
 * Writes what operators take away: one line before the nodes are told to, and one line with what came of it. A process
 * that ends in between leaves the first one.
 */
final class ReleaseAudit {

    private static final System.Logger AUDIT = System.getLogger("org.holdfast.audit");

    /** A tool puts the name of its user before a reason of 200 characters. */
    private static final int MOST_OF_REASON = 300;

    private static final String UNSEEN = "no holder that nodes know; they may keep something of an earlier lease";

    private final ProcessInfo processInfo;

    ReleaseAudit(ProcessInfo processInfo) {
        this.processInfo = processInfo;
    }

    /** @param meant the token of the only holder that is meant; empty for all */
    Entry entry(LockRequest request, OptionalLong meant, String reason) {
        String names = request.names().stream().map(LogText::quoted).collect(Collectors.joining(", "));
        return new Entry("forced release of " + names
                + (meant.isPresent() ? " from the holder with token " + meant.getAsLong() : "")
                + ", asked for by thread "
                + LogText.quoted(Thread.currentThread().getName()) + " of process " + processInfo.pid()
                + " on host " + processInfo.host() + because(reason));
    }

    private static String because(String reason) {
        return reason.isBlank()
                ? ""
                : ", because: " + LogText.quoted(reason.substring(0, Math.min(reason.length(), MOST_OF_REASON)));
    }

    /** The lines of one call, which begin alike. */
    record Entry(String call) {

        void begins(List<LockHolder> holders) {
            String line = "; held by: " + (holders.isEmpty() ? UNSEEN : describeAll(holders));
            AUDIT.log(System.Logger.Level.WARNING, LogText.line("HF0235: begins: " + call + line));
        }

        /** @param holderWasSeen whether there was one when the release began */
        void removed(List<LockHolder> holders, boolean holderWasSeen) {
            String none = holderWasSeen
                    ? "no holder: what was seen before has ended"
                    : "no holder; what nodes kept of an earlier lease";
            end(holders.isEmpty() ? none : describeAll(holders));
        }

        void nothingRemoved(List<LockHolder> others) {
            end(others.isEmpty() ? "no holder had it" : "no such holder; it is held by: " + describeAll(others));
        }

        void perhapsRemoved(RuntimeException failure) {
            end("on some nodes perhaps, " + failure.getMessage());
        }

        private void end(String removed) {
            AUDIT.log(System.Logger.Level.WARNING, LogText.line("HF0214: " + call + "; removed: " + removed));
        }
    }

    private static String describeAll(List<LockHolder> holders) {
        return holders.stream().map(ReleaseAudit::describe).collect(Collectors.joining("; "));
    }

    private static String describe(LockHolder holder) {
        return holder.mode() + " " + LogText.quoted(holder.name()) + " held by " + describeOwner(holder);
    }

    static String describeOwner(LockHolder holder) {
        return LogText.quoted(holder.thread()) + " of process " + holder.pid() + " on host " + holder.host() + " since "
                + holder.since() + " with token " + holder.token() + ", on " + holder.nodeCount()
                + (holder.nodeCount() == 1 ? " node" : " nodes");
    }
}
