// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.util.Calendar;
import java.util.Map;
import java.util.Scanner;
import java.util.TimeZone;
import java.util.regex.Matcher;
import javax.crypto.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * Types of the JDK that write a text without an identity in it, which is not their content all the same.
 *
 * <p>Either all of them have one text, so that they would be one lock; or two that are equal have two. Of buffers only
 * that of characters is not among them: it writes what is in it.
 */
final class TextlessTypes {

    private static final String NO_CONTENT = "whose text says nothing of its content";

    private static final String STATE = "whose text is that of its state";

    private static final Map<Class<?>, String> REASONS = Map.ofEntries(
            // "time=?" until its fields are computed; equality does not depend on that
            Map.entry(Calendar.class, "whose text is another one when its fields are computed: name its timeInMillis"),
            // has the rules of the zone in it, which come with the JDK
            Map.entry(TimeZone.class, "whose text is another one in another version of the JDK: name its ID"),
            Map.entry(ByteBuffer.class, NO_CONTENT),
            Map.entry(ShortBuffer.class, NO_CONTENT),
            Map.entry(IntBuffer.class, NO_CONTENT),
            Map.entry(LongBuffer.class, NO_CONTENT),
            Map.entry(FloatBuffer.class, NO_CONTENT),
            Map.entry(DoubleBuffer.class, NO_CONTENT),
            Map.entry(MethodHandle.class, NO_CONTENT),
            Map.entry(VarHandle.class, NO_CONTENT),
            Map.entry(Matcher.class, NO_CONTENT),
            Map.entry(Scanner.class, NO_CONTENT),
            Map.entry(SecureRandom.class, NO_CONTENT),
            Map.entry(MessageDigest.class, NO_CONTENT),
            Map.entry(Signature.class, NO_CONTENT),
            Map.entry(Cipher.class, NO_CONTENT),
            Map.entry(Thread.class, STATE),
            Map.entry(ThreadGroup.class, STATE),
            Map.entry(Process.class, STATE));

    private TextlessTypes() {}

    /** Returns what stands against all values of the type, in words without any; null if it is none of these. */
    static @Nullable String whyNever(Class<?> type) {
        for (Map.Entry<Class<?>, String> reason : REASONS.entrySet()) {
            if (reason.getKey().isAssignableFrom(type) && isWrittenByTheJdk(type, reason.getKey())) {
                return type.getTypeName() + ", " + reason.getValue();
            }
        }
        return null;
    }

    /** A class of the application may have a text of its own, which is trusted. */
    private static boolean isWrittenByTheJdk(Class<?> type, Class<?> ofTheJdk) {
        try {
            return type.getMethod("toString").getDeclaringClass().getModule() == ofTheJdk.getModule();
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("every class has toString", e);
        }
    }
}
