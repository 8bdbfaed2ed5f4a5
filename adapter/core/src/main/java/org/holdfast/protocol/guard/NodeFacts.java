// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.guard;

import java.util.Optional;

/**
 * What a node reports of itself when a process looks at it.
 *
 * @param process which Redis process it is
 * @param primary false for a replica of another node
 * @param clustered whether it is part of a Redis Cluster
 * @param mayEvict whether it may remove keys when memory is short
 * @param durabilityFault why a restart may lose a write that was answered, as far as that can be asked; looked for only
 *     where the operator vouches that it does not
 * @param nowMicros its clock
 */
public record NodeFacts(
        BirthMark.Process process,
        boolean primary,
        boolean clustered,
        boolean mayEvict,
        Optional<String> durabilityFault,
        long nowMicros) {}
