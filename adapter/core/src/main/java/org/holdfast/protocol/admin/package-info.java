// SPDX-License-Identifier: Apache-2.0
/**
 * What operators do with locks of any process.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.admin.LockAdmin} shows the holders of a lock, and releases it by force.
 *   <li>{@code HolderSurvey} asks the nodes for holders, and puts together what they answer.
 *   <li>{@code ForcedReleases} takes a lock away from its holders, with a token that keeps these out. {@code
 *       ReleaseAudit} writes into the log what an operator has taken away, and why.
 * </ul>
 *
 * <p>What nodes report of holders is shown and not relied upon. The room knows {@code waiting}, {@code lease} and the
 * rooms below them.
 */
@NullMarked
package org.holdfast.protocol.admin;

import org.jspecify.annotations.NullMarked;
