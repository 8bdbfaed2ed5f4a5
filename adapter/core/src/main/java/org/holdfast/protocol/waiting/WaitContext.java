// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.waiting;

import org.holdfast.protocol.env.StopFlag;
import org.holdfast.protocol.env.Time;
import org.holdfast.protocol.env.Underway;
import org.holdfast.protocol.node.Nodes;

/**
 * What all acquisitions of a process share.
 *
 * @param answerNanos for how long a node may take to answer
 * @param forWaiting the nodes through which all waiters attempt: a thousand waiters keep no connections of their own
 */
public record WaitContext(
        Time time,
        long answerNanos,
        StopFlag stopFlag,
        Underway underway,
        Nodes forWaiting,
        AttemptLimiter attemptLimiter,
        RetryDelay retryDelay) {}
