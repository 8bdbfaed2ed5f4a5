// SPDX-License-Identifier: Apache-2.0
/**
 * Real nodes and real client processes, what can go wrong between them, and whether the locks kept their promises.
 *
 * <p>A {@link org.holdfast.faults.Deployment} has nodes, clients and a resource that the locks protect. A
 * {@link org.holdfast.faults.Round} lets a {@link org.holdfast.faults.Fault} happen to it, or several, waits for its
 * recovery, and has {@link org.holdfast.history.HistoryCheck} decide what the clients saw.
 */
package org.holdfast.faults;
