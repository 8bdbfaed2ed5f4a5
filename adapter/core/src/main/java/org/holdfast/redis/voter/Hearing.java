// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * How the witnesses of one voter are asked. One thread asks at a time.
 *
 * @param <T> what they answer
 */
interface Hearing<T> extends AutoCloseable {

    /** Asks, and does something with what was answered. */
    interface Question {

        /** Asks, and returns what is to be done when the next thread may ask. */
        Runnable ask() throws IOException;
    }

    /** Asks, unless another thread asks for so long that there is no time left. */
    void run(long deadline, Question question);

    /**
     * Asks these witnesses, and no others from now on. Called by {@link #run}.
     *
     * @param suffices whether what was heard is enough to wait for no further connection
     */
    List<T> ask(Collection<? extends Witness<T>> witnesses, long deadline, Predicate<List<T>> suffices)
            throws IOException;

    /**
     * Ends the connections on which these were answered, as they are worth nothing: the next question goes to where the
     * addresses lead then. Called by {@link #run}.
     */
    void abandon(List<T> testimonies);

    /** Says what each witness has answered, or why it has not. */
    String heard();

    @Override
    void close();
}
