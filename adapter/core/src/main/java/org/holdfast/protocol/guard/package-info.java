/**
 * Decides whether a node may vote: a node that may have forgotten locks, or whose clock has jumped, grants no new lock
 * until the locks that it may have forgotten are over.
 *
 * <p>Start at {@link org.holdfast.protocol.guard.NodeGuard}: it compares what a client sees of a node ({@link
 * org.holdfast.protocol.guard.NodeFacts}) with the {@link org.holdfast.protocol.guard.BirthMark} that stands on the
 * node, and writes a {@link org.holdfast.protocol.guard.MarkChange}. {@link org.holdfast.protocol.guard.ClockMonitor}
 * bounds the distance of each node's clock from ours and finds out which clock has jumped; {@link
 * org.holdfast.protocol.guard.NodeMonitor} looks at the nodes for both. {@link
 * org.holdfast.protocol.guard.AcceptedSettings} are the settings that all processes of a deployment share.
 *
 * <p>Why this is so stands in the document {@code safety.md}. The room knows {@code node} and {@code env}.
 */
@NullMarked
package org.holdfast.protocol.guard;

import org.jspecify.annotations.NullMarked;
