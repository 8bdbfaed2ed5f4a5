// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol;

/**
 * What a node tells of itself when somebody connects.
 *
 * @param runId changes with each start of the process
 * @param replicationId changes when another data set takes the place of the present one, as in a promotion
 * @param primary false for a replica of another node
 * @param promoted whether its data came from another process, over which it may have lost the last writes
 * @param clustered whether it is part of a Redis Cluster
 * @param mayEvict whether it may throw away keys when memory is short
 * @param persistsEveryWrite whether a restart brings back every write that was answered
 * @param evictions how many keys the process has evicted
 * @param flushes how often the process has flushed a database
 * @param scripts how many scripts the process has run, whoever sent them
 * @param startedMicros when the process started at the latest, by its own clock
 * @param nowMicros its clock
 */
public record NodeFacts(
        String runId,
        String replicationId,
        boolean primary,
        boolean promoted,
        boolean clustered,
        boolean mayEvict,
        boolean persistsEveryWrite,
        long evictions,
        long flushes,
        long scripts,
        long startedMicros,
        long nowMicros) {}
