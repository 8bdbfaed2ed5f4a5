// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.quorum;

import java.util.Map;

/** The result of one attempt to renew a claim. */
public sealed interface RenewalResult {

    /** A quorum granted: the claim is valid until this moment, on the scale of {@code nanoTime}. */
    record Extended(long validUntilNanos) implements RenewalResult {}

    /** So many nodes know of a later claim that no quorum can ever grant this one again. */
    record Superseded() implements RenewalResult {}

    /** Too few nodes granted; another attempt may succeed. */
    record Failed(Map<String, String> failures) implements RenewalResult {}
}
