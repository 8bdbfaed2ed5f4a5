// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.time.LocalDate;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which values have a text that is their content, and which have the identity of an object in it. */
class NameValuesTest {

    record Blob(byte[] bytes) {}

    record Digest(byte[] bytes) {
        @Override
        public String toString() {
            return "digest-" + bytes.length;
        }
    }

    record Nested(String name, Object inner) {}

    static class Row {}

    record ProxyUser(String mail) {}

    /** As that of an entity that is not loaded yet: it has the text of what is behind it. */
    static final class Row$HibernateProxy$x extends Row {
        private final Object target;

        Row$HibernateProxy$x(Object target) {
            this.target = target;
        }

        @Override
        public String toString() {
            return target.toString();
        }
    }

    static final class Row$WeldSubclass extends Row {}

    static final class CardRow extends Row {}

    /** As that of the container, for an entity or a bean whose class is not what the reference says. */
    static final class Row$HibernateProxy$y extends Row {
        @Override
        public String toString() {
            return new CardRow().toString();
        }
    }

    record Picture(Object bytes) {
        @Override
        public String toString() {
            return "Picture{" + bytes + "}";
        }
    }

    /** Has no text of its own, though it is one. */
    static final class Letters implements CharSequence {
        @Override
        public int length() {
            return 1;
        }

        @Override
        public char charAt(int index) {
            return 'a';
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return this;
        }
    }

    record Detached() {
        @Override
        public String toString() {
            throw new IllegalStateException("no session: secret");
        }
    }

    record Titled(String title, Object other) {
        @Override
        public String toString() {
            return title;
        }
    }

    static final class Numbered {
        private final int number;

        Numbered(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Numbered numbered && numbered.number == number;
        }
    }

    private static Titled chain(int length) {
        return new Titled("a@b", length == 0 ? "end" : chain(length - 1));
    }

    /** Of as many ways to a part as there are paths, which are too many to go. */
    private static Titled shared(int levels) {
        Object below = levels == 0 ? "end" : shared(levels - 1);
        return new Titled("d@6", List.of(below, below, below, below, below, below, below, below));
    }

    record Lazy(Collection<?> lines) {
        @Override
        public String toString() {
            return "order@5";
        }
    }

    interface View {}

    /** As that of a bean which is known by an interface only. */
    static final class View$Proxy$_$$_WeldClientProxy implements View {
        private final Object target = new NameTemplateTest.Bean();

        @Override
        public String toString() {
            return target.toString();
        }
    }

    @SuppressWarnings("unused")
    void any(Object value) {}

    static String resolveAny(Object value) throws Exception {
        return resolveAny("#{args[0]}", value);
    }

    static String resolveAny(String expression, Object value) throws Exception {
        Method any = NameValuesTest.class.getDeclaredMethod("any", Object.class);
        return NameTemplate.parse(expression, Parameters.of(any, position -> null))
                .resolve(new Object[] {value});
    }

    static Stream<Object> valuesWithAnIdentity() {
        return Stream.of(
                List.of(new byte[] {1}),
                List.of(List.of(new NameTemplateTest.Bean())),
                new Blob(new byte[] {1}),
                new Nested("a", new NameTemplateTest.Bean()),
                new Nested("a", new Blob(new byte[0])),
                Optional.of(new NameTemplateTest.Bean()),
                new AtomicReference<>(new NameTemplateTest.Bean()),
                Map.of("a", new NameTemplateTest.Bean()),
                Map.of(new NameTemplateTest.Bean(), "a"),
                Map.entry("a", new int[0]),
                new CompletableFuture<>(),
                new int[0],
                new Object(),
                new Row$HibernateProxy$x(new Row()),
                Optional.of(new Row$HibernateProxy$x(new Row$WeldSubclass())),
                new View$Proxy$_$$_WeldClientProxy(),
                versioned(new NameTemplateTest.Bean()),
                new Row$HibernateProxy$y(),
                List.of(new Row$HibernateProxy$y()),
                new Picture(new byte[1]),
                new Picture(new String[1][1]),
                List.of(new Letters()),
                new AtomicReferenceArray<>(new Object[] {new NameTemplateTest.Bean()}),
                proxy(),
                Optional.of(proxy()),
                new Nested("a", proxy()));
    }

    /** An identity with something behind it; in 2,000 objects one has so few digits that this may be an address. */
    private static Titled versioned(Object part) {
        return System.identityHashCode(part) < 0x100000
                ? versioned(new NameTemplateTest.Bean())
                : new Titled(part + "-5", part);
    }

    private static Object proxy() {
        return Proxy.newProxyInstance(
                NameValuesTest.class.getClassLoader(),
                new Class<?>[] {Runnable.class},
                (proxy, method, arguments) -> "text");
    }

    @ParameterizedTest
    @MethodSource("valuesWithAnIdentity")
    void resolve_valueWithAnIdentityInItsText_isRefused(Object value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolveAny(value))
                .withMessageContaining("has no name: #{args[0]} (argument 0)");
    }

    static Stream<Object> valuesWithATextOfTheirOwn() {
        return Stream.of(
                "user@beef",
                42,
                new BigDecimal("1.00"),
                'x',
                true,
                UUID.fromString("00000000-0000-0001-0000-000000000002"),
                LocalDate.of(2026, 11, 22),
                Optional.of("5"),
                List.of("user@beef", 7L),
                new NameTemplateTest.Customer("a@b"),
                new ProxyUser("anna.b@example.com"),
                new Row$HibernateProxy$x("Row(anna.b@example.com)"),
                new Digest(new byte[3]),
                new Nested("a", new Digest(new byte[3])),
                new Picture("lodash.merge@4 of [BBC@work]"),
                new Picture("[C@4, D@7]"),
                List.of("B@example.com"),
                List.of("C@4", "D@7"),
                Optional.of("S@example.com"),
                new Titled("t-5", proxy()),
                new Titled("anna@acme.com", new Numbered(10)),
                new Titled("anna@bcme.com", new Numbered(11)),
                chain(20),
                shared(12),
                new AtomicReferenceArray<>(new Object[] {"a@b"}),
                new StringBuilder("text"),
                CharBuffer.wrap("text"),
                new BitSet(),
                Thread.State.NEW);
    }

    @ParameterizedTest
    @MethodSource("valuesWithATextOfTheirOwn")
    void resolve_valueWithATextOfItsOwn_isThat(Object value) throws Exception {
        assertThat(resolveAny(value)).isEqualTo(value.toString());
    }

    /** It is looked through once, however many parts there are. */
    @Test
    @Timeout(20)
    void resolve_longTextWithAnAt_isNotLookedThroughAgainAndAgain() throws Exception {
        List<Object> many = new ArrayList<>(List.of("a@b", "x".repeat(100_000)));
        for (long i = 0; i < 1_000; i++) {
            many.add(i);
        }
        assertThat(NameValues.whyRefused(many, many.toString())).isNull();
    }

    /** No request takes it. */
    @Test
    @Timeout(20)
    void resolve_valueWhoseTextIsLongerThanAName_isNotLookedThrough() throws Exception {
        List<Object> many = new ArrayList<>();
        for (long i = 0; i < 50_000; i++) {
            many.add(i);
            many.add("a" + i + "@b");
        }
        assertThat(resolveAny(many)).isEqualTo(many.toString());
    }

    @Test
    void resolve_valueWhosePartsCannotBeRead_isRefusedWithoutTellingWhatTheySay() {
        Collection<Object> lines = new AbstractList<>() {
            @Override
            public Object get(int index) {
                throw new IllegalStateException("no session: secret");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolveAny(new Lazy(lines)))
                .withMessageContaining("Lazy, whose content cannot be looked at: java.lang.IllegalStateException")
                .withMessageNotContaining("secret")
                .withNoCause();
    }

    @Test
    void resolve_valueWhoseTextFails_isRefusedWithoutTellingWhatItSays() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolveAny(new Detached()))
                .withMessageContaining("Detached, whose text failed: java.lang.IllegalStateException")
                .withMessageNotContaining("secret")
                .withNoCause();
    }
}
