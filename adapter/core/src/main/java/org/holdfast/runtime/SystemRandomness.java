// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.holdfast.protocol.Owner;
import org.holdfast.protocol.Randomness;

/** Owners from the operating system's cryptographic source; delays from a fast one. */
final class SystemRandomness implements Randomness {

    private static final int OWNER_BYTES = 20;

    private final SecureRandom secure = new SecureRandom();

    @Override
    public Owner newOwner() {
        byte[] bytes = new byte[OWNER_BYTES];
        secure.nextBytes(bytes);
        return new Owner(HexFormat.of().formatHex(bytes));
    }

    @Override
    public long below(long bound) {
        return ThreadLocalRandom.current().nextLong(bound);
    }
}
