// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a lock, in the bytes that a node receives: they are the same in each of its calls. The arrays are not to
 * be changed.
 *
 * @param base what each of its keys begins with
 */
record LockWords(String base, byte[] lock, byte[] fence, byte[] channel) {

    private static LockWords of(NodeKeys keys, String name) {
        String base = ShapeCodec.base(keys.prefix(), name);
        return new LockWords(base, bytes(base + "lock"), bytes(base + "fence"), bytes(keys.channel(name)));
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Those of some names that were used last. A name takes the place of another one.
     *
     * <p>Safe for use by any number of threads.
     */
    static final class Recent {

        private static final int PLACES = 256;

        private final NodeKeys keys;
        private final AtomicReferenceArray<@Nullable Named> places = new AtomicReferenceArray<>(PLACES);

        /** @param name a copy: the text of a caller is free when that is through with it */
        private record Named(String name, LockWords words) {}

        Recent(NodeKeys keys) {
            this.keys = Objects.requireNonNull(keys);
        }

        LockWords of(String name) {
            int place = (name.hashCode() ^ name.hashCode() >>> 16) & PLACES - 1;
            Named known = places.getPlain(place);
            if (known == null || !known.name().equals(name)) {
                known = new Named(new String(name), LockWords.of(keys, name));
                places.setRelease(place, known);
            }
            return known.words();
        }
    }
}
