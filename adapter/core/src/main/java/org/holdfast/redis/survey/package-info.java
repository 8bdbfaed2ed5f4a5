/**
 * What operators see of the nodes, besides what commands tell: whether each can be used
 * ({@link org.holdfast.redis.survey.NodeCheck}), which locks there are and how many callers wait for them
 * ({@link org.holdfast.redis.survey.LockScan}).
 *
 * <p>Each survey has connections of its own, opens them with the same checks as for locks, and changes nothing: a
 * survey that fails must not cost a holder its lease.
 */
@NullMarked
package org.holdfast.redis.survey;

import org.jspecify.annotations.NullMarked;
