// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.net.URI;
import java.util.function.Function;
import redis.clients.jedis.Jedis;

/** A real Redis node that can be made to fail and comes back at the same address. */
interface Node extends AutoCloseable {

    /** Returns the address in the form that Holdfast takes. */
    String uri();

    void suffer(Fault fault);

    /** Ends what it suffers from, if anything. Returns when the node answers again. */
    void recover();

    /** Asks the node itself, past the library. */
    default <T> T ask(Function<Jedis, T> question) {
        try (Jedis jedis = new Jedis(URI.create(uri()), 10_000)) {
            return question.apply(jedis);
        }
    }

    @Override
    void close();
}
