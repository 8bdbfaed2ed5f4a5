// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.OptionalInt;

/**
 * What a look for a permit found; a hint only, which may be out of date when it is returned.
 *
 * @param free a permit that is free, if one is
 * @param remainingMillis how soon the first of the others is free if it is not renewed; 0 if that is not known
 */
public record PermitSearch(OptionalInt free, long remainingMillis) {}
