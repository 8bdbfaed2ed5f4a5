// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an expression makes a text of is looked at as if it stood in the name itself. */
class MadeTextsTest {

    public record Holder(Object part) {
        public String describe(Object other) {
            return "about " + other;
        }
    }

    /** As an entity that is not loaded: it has an id, and all else fails or is loaded. */
    public static final class Lazy {
        private int texts;

        public long getId() {
            return 7;
        }

        public String getMail() {
            return "anna@acme.example";
        }

        @Override
        public String toString() {
            texts++;
            return "lazy";
        }
    }

    public static final class Detached {
        public String getMail() {
            return "anna@acme.example";
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no session");
        }
    }

    /** Refers to another one that refers to it, and both write that. */
    public static final class Endless {
        public Endless getOther() {
            return this;
        }

        public long getId() {
            return 7;
        }

        public String getMail() {
            return "anna@acme.example";
        }

        @Override
        public String toString() {
            return "endless " + getOther();
        }
    }

    /** Has a text of its own, as its class is one of the application. */
    public static final class Worker extends Thread {
        @Override
        public String toString() {
            return "worker 7";
        }
    }

    public interface Named {
        String getName();
    }

    @SuppressWarnings("unused")
    void work(Object o, Object p) {}

    private static String resolve(String expression, Object... arguments) throws Exception {
        Method work = MadeTextsTest.class.getDeclaredMethod("work", Object.class, Object.class);
        Object[] both = {arguments[0], arguments.length > 1 ? arguments[1] : null};
        return NameTemplate.parse(expression, Parameters.of(work, position -> null))
                .resolve(both);
    }

    private static void assertRefused(String expression, Object argument) {
        assertThatIllegalArgumentException()
                .as(expression)
                .isThrownBy(() -> resolve(expression, argument))
                .withMessageContaining(expression)
                .withMessageContaining("a text with that of a value in it")
                .withMessageContaining("whose text");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{o.toString()}",
                "#{args[0].toString()}",
                "#{'a' += o}",
                "#{o += ''}",
                "#{'a'.concat(o)}",
                "#{'a' += (o == null ? 'none' : o) += 'b'}",
                "#{(o -> o.toString())(o)}",
                "#{(o -> o.getClass() += '-' += o)(o)}",
            })
    void resolve_textOfAnObjectWithoutOne_isRefused(String expression) {
        assertRefused(expression, new NameTemplateTest.Bean());
        assertRefused(expression, new byte[] {1});
        assertRefused(expression, List.of(new NameTemplateTest.Bean()));
        assertRefused(expression, new NameValuesTest.Blob(new byte[] {1}));
        assertRefused(expression, new GregorianCalendar(2020, Calendar.FEBRUARY, 1));
        assertRefused(expression, ByteBuffer.allocate(16));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{o.part.toString()}",
                "#{o.part() += '-5'}",
                "#{o.describe(o.part)}",
                "#{'a' += o.part.toString()}",
            })
    void resolve_textOfAPropertyWithoutOne_isRefused(String expression) {
        assertRefused(expression, new Holder(new NameTemplateTest.Bean()));
        assertRefused(expression, new Holder(new int[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a@b1c2d3.example", "List.of(\"B@example.com\")", "com.example.Bean@1b2c3d", "[B@1b2c3d4e"})
    void resolve_textOfTheApplication_isTakenAsItIs(String text) throws Exception {
        Object bean = new NameTemplateTest.Bean();
        assertThat(resolve("#{o}", text)).isEqualTo(text);
        assertThat(resolve("#{o.toString()}", text)).isEqualTo(text);
        assertThat(resolve("#{'a' += o}", text)).isEqualTo("a" + text);
        assertThat(resolve("#{o.concat(p.code)}", text, bean)).isEqualTo(text + "bean-code");
        assertThat(resolve("#{p == null ? 'none' : o.trim()}", text, bean)).isEqualTo(text);
        assertThat(resolve("#{o.part() += ''}", new Holder(text))).isEqualTo(text);
    }

    @Test
    void resolve_textOfAValueWithAnotherContent_isThat() throws Exception {
        assertThat(resolve("#{o += '-' += p}", 7L, Thread.State.NEW)).isEqualTo("7-NEW");
        assertThat(resolve("#{o.toString()}", List.of("a", 1))).isEqualTo("[a, 1]");
        assertThat(resolve("#{o.toString()}", Map.of("a", "b@c"))).isEqualTo("{a=b@c}");
    }

    /** Its text may be long, or be asked for in a database. */
    @Test
    void resolve_objectThatOnlyAPropertyIsReadOf_isNotAskedForItsText() throws Exception {
        Lazy lazy = new Lazy();
        assertThat(resolve("#{o.part.getId()}", new Holder(lazy))).isEqualTo("7");
        assertThat(resolve("#{'m-' += o.part.mail}", new Holder(lazy))).isEqualTo("m-anna@acme.example");
        assertThat(lazy.texts).isZero();
    }

    @Test
    void resolve_operandWhoseTextFails_isNotInTheName() throws Exception {
        assertThat(resolve("#{o == null ? 'none' : o.getMail()}", new Detached()))
                .isEqualTo("anna@acme.example");
    }

    /** It may be an entity: what is compared or handed on is not loaded for that. */
    @Test
    void resolve_objectThatIsComparedOrHandedOn_isNotAskedForItsText() throws Exception {
        Lazy lazy = new Lazy();
        assertThat(resolve("#{o == null ? 'none' : 'n' += o.getId()}", lazy)).isEqualTo("n7");
        assertThat(resolve("#{'k' += o.lastIndexOf(p)}", List.of(lazy), lazy)).isEqualTo("k0");
        assertThat(lazy.texts).isZero();
    }

    @Test
    void resolve_operandWhoseTextHasNoEnd_isNotInTheName() throws Exception {
        assertThat(resolve("#{o == null ? 'none' : o.mail}", new Endless())).isEqualTo("anna@acme.example");
        assertThat(resolve("#{o == null ? 'none' : o.id += ''}", new Endless())).isEqualTo("7");
    }

    @Test
    void resolve_threadOfTheApplicationWithATextOfItsOwn_isThat() throws Exception {
        assertThat(resolve("#{'w' += o}", new Worker())).isEqualTo("wworker 7");
        assertThat(resolve("#{o}", new Worker())).isEqualTo("worker 7");
        assertRefused("#{'w' += o}", new Thread());
    }

    /** A proxy is no name, whatever it says; what it says is the name of another one here. */
    @Test
    void resolve_operandThatIsAProxyWithATextOfItsOwn_isNoReason() throws Exception {
        Object proxy = Proxy.newProxyInstance(
                MadeTextsTest.class.getClassLoader(),
                new Class<?>[] {Named.class},
                (self, method, arguments) -> "anna");
        assertThat(resolve("#{o == null ? 'none' : o.getName()}", proxy)).isEqualTo("anna");
    }
}
