// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of the JDK whose text is not their content. */
class TextlessTypesTest {

    record Buffered(ByteBuffer id) {}

    /** What writes a text, and in it neither an identity nor its content. */
    static Stream<Object> valuesWhoseTextIsNotTheirContent() throws Exception {
        return Stream.of(
                new GregorianCalendar(2020, 1, 1),
                TimeZone.getTimeZone("Europe/Berlin"),
                new SimpleTimeZone(0, "here"),
                ByteBuffer.allocate(16),
                ByteBuffer.allocateDirect(16).asReadOnlyBuffer(),
                IntBuffer.wrap(new int[] {1}),
                MethodHandles.lookup().findVirtual(String.class, "trim", MethodType.methodType(String.class)),
                MethodHandles.arrayElementVarHandle(int[].class),
                Pattern.compile("a").matcher("b"),
                new Scanner("a b"),
                new SecureRandom(),
                MessageDigest.getInstance("SHA-256"),
                new Thread(() -> {}),
                new Buffered(ByteBuffer.allocate(16)),
                List.of(ByteBuffer.allocate(16)),
                Map.of("a", Optional.of(new GregorianCalendar(2020, 1, 1))));
    }

    @ParameterizedTest
    @MethodSource("valuesWhoseTextIsNotTheirContent")
    void resolve_valueWhoseTextIsNotItsContent_isRefused(Object value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameValuesTest.resolveAny(value))
                .withMessageContaining("has no name: #{args[0]} (argument 0)")
                .withMessageContaining("whose text");
    }

    /** Before the fields of a calendar are computed it has another text than after that. */
    @Test
    void resolve_calendarOrZone_isRefusedAndSaysWhatToName() throws Exception {
        Object calendar = new GregorianCalendar(2020, 1, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameValuesTest.resolveAny(calendar))
                .withMessageContaining("java.util.GregorianCalendar")
                .withMessageContaining("name its timeInMillis");
        assertThat(NameValuesTest.resolveAny("#{args[0].timeInMillis}", calendar))
                .matches("\\d+");
        Object zone = TimeZone.getTimeZone("Europe/Berlin");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameValuesTest.resolveAny(zone))
                .withMessageContaining("name its ID");
        assertThat(NameValuesTest.resolveAny("#{args[0].ID}", zone)).isEqualTo("Europe/Berlin");
    }
}
