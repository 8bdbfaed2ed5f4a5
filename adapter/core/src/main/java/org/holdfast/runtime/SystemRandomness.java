// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime;

import java.security.SecureRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.holdfast.protocol.env.Randomness;

/** Identities from the operating system's cryptographic source; delays from a fast one. */
final class SystemRandomness implements Randomness {

    private static final int ID_BYTES = 20;

    private final SecureRandom secure = new SecureRandom();

    @Override
    public byte[] uniqueId() {
        byte[] bytes = new byte[ID_BYTES];
        secure.nextBytes(bytes);
        return bytes;
    }

    @Override
    public long below(long bound) {
        return ThreadLocalRandom.current().nextLong(bound);
    }
}
