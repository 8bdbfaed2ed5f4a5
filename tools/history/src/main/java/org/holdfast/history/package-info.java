// SPDX-License-Identifier: Apache-2.0
/**
 * Decides whether a history of locks could have come from a lock that keeps its promises, in O(n log n).
 *
 * <p>{@link org.holdfast.history.History} collects what callers saw and what the protected resource received.
 * {@link org.holdfast.history.HistoryCheck} decides. {@link org.holdfast.history.EdnWriter} writes a history for
 * general checkers.
 */
package org.holdfast.history;
