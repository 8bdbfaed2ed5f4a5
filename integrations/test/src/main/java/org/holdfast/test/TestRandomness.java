// SPDX-License-Identifier: Apache-2.0
package org.holdfast.test;

import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import org.holdfast.protocol.env.Randomness;

/** The same numbers in each run: unique identities, and delays from the middle of their range. */
final class TestRandomness implements Randomness {

    private static final AtomicLong LAST = new AtomicLong();

    @Override
    public byte[] uniqueId() {
        return HexFormat.of().parseHex(String.format("%040x", LAST.incrementAndGet()));
    }

    @Override
    public long below(long bound) {
        return bound / 2;
    }
}
