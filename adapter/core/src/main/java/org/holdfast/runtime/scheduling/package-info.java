/**
 * When work runs, and on which thread: what is due, what takes long, and what is the application's own code.
 *
 * <p>A {@link org.holdfast.runtime.scheduling.DueMoment} keeps the earliest moment at which something is due, so an
 * idle process sleeps. A {@link org.holdfast.runtime.scheduling.Pulse} is the thread that waits for it. {@link
 * org.holdfast.runtime.scheduling.Scheduling} has two implementations: {@link
 * org.holdfast.runtime.scheduling.StandaloneScheduling} starts threads of its own, and the one of the connector takes
 * those of the container. {@code LimitedThreads} runs tasks on a few of them. {@link
 * org.holdfast.runtime.scheduling.SharedScheduling} lets several lock services have one.
 */
@NullMarked
package org.holdfast.runtime.scheduling;

import org.jspecify.annotations.NullMarked;
