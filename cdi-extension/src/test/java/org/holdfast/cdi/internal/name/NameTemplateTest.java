// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.holdfast.LockRequest;
import org.holdfast.cdi.LockKey;
import org.junit.jupiter.api.Test;

class NameTemplateTest {

    record Order(long id, Customer customer) {}

    record Customer(String name) {}

    public static final class Bean {
        public String getCode() {
            return "bean-code";
        }
    }

    @SuppressWarnings("unused")
    void work(String sku, Order order, Bean bean, Map<String, String> map, List<String> list) {}

    private static Method method() {
        return Arrays.stream(NameTemplateTest.class.getDeclaredMethods())
                .filter(m -> m.getName().equals("work"))
                .findFirst()
                .orElseThrow();
    }

    private static Parameters parameters() {
        Method method = method();
        return Parameters.of(method, position -> method.getParameters()[position].getAnnotation(LockKey.class));
    }

    private static String resolve(String template) {
        Object[] arguments = {
            "lamp", new Order(42, new Customer("Ada")), new Bean(), Map.of("key", "mapped"), List.of("first")
        };
        return NameTemplate.parse(template, parameters()).resolve(arguments);
    }

    @Test
    void resolve_literal_isTheName() {
        assertThat(resolve("nightly-report")).isEqualTo("nightly-report");
    }

    @Test
    void resolve_parameterByNameOrPosition_isItsValue() {
        assertThat(resolve("stock-#{sku}")).isEqualTo("stock-lamp");
        assertThat(resolve("stock-#{args[0]}")).isEqualTo("stock-lamp");
        assertThat(resolve("#{sku}/#{sku}!")).isEqualTo("lamp/lamp!");
    }

    @Test
    void resolve_propertiesOfRecordsBeansMapsAndLists_areRead() {
        assertThat(resolve("order-#{order.id}")).isEqualTo("order-42");
        assertThat(resolve("#{order.customer.name}")).isEqualTo("Ada");
        assertThat(resolve("#{bean.code}")).isEqualTo("bean-code");
        assertThat(resolve("#{map.key}")).isEqualTo("mapped");
        assertThat(resolve("#{list[0]}")).isEqualTo("first");
        assertThat(resolve("#{sku.toUpperCase()}")).isEqualTo("LAMP");
    }

    @Test
    void resolve_bracesAndQuotesInsideAnExpression_belongToIt() {
        assertThat(resolve("#{sku.concat('}')}-x")).isEqualTo("lamp}-x");
    }

    @Test
    void resolve_escapedExpression_isText() {
        assertThat(resolve("a\\#{sku}")).isEqualTo("a#{sku}");
    }

    @Test
    void resolve_nullOrEmptyValue_isRefusedWithoutTellingValues() {
        NameTemplate template = NameTemplate.parse("stock-#{sku}", parameters());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> template.resolve(new Object[] {null, null, null, null, null}))
                .withMessageContaining("#{sku} (argument 0) in 'stock-#{sku}' is null")
                .withMessageContaining("NameTemplateTest.work");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> template.resolve(new Object[] {"", null, null, null, null}))
                .withMessageContaining("is empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolve("#{args[9]}"))
                .withMessageContaining("asks for argument 9");
        assertThatIllegalArgumentException().isThrownBy(() -> resolve("#{args[list.size() + 8]}"));
    }

    @Test
    void resolve_objectWithoutATextOfItsOwn_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolve("#{bean}"))
                .withMessageContaining("NameTemplateTest$Bean, whose text says nothing");
        assertThatIllegalArgumentException().isThrownBy(() -> resolve("#{args}"));
    }

    @SuppressWarnings("unused")
    void declared(
            byte[] bytes,
            List<byte[]> lists,
            Optional<NameValuesTest.Blob> blob,
            CompletableFuture<String> future,
            Bean bean,
            ByteBuffer buffer,
            List<Calendar> days,
            NameValuesTest.Nested nested,
            NameValuesTest.Digest digest,
            List<String> texts) {}

    @Test
    void parse_parameterWhoseTypeHasNoText_isRefused() {
        Method declared = Arrays.stream(NameTemplateTest.class.getDeclaredMethods())
                .filter(method -> method.getName().equals("declared"))
                .findFirst()
                .orElseThrow();
        Parameters parameters = Parameters.of(declared, position -> null);
        for (String name :
                List.of("bytes", "lists", "blob", "future", "bean", "buffer", "days", "args[0]", " args[ 1 ] ")) {
            assertThatIllegalArgumentException()
                    .as(name)
                    .isThrownBy(() -> NameTemplate.parse("#{" + name + "}", parameters))
                    .withMessageContaining("#{" + name + "} is ")
                    .withMessageContaining("whose text");
        }
        for (String name : List.of("nested", "digest", "texts", "bytes.length", "lists.size()")) {
            NameTemplate.parse("#{" + name + "}", parameters); // depends on the value
        }
    }

    @Test
    void resolve_expressionThatFails_isRefusedWithoutTellingValues() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolve("#{order.customer.name.nope()}"))
                .withMessageContaining("#{order.customer.name.nope()} (argument 1)")
                .withMessageContaining("MethodNotFoundException")
                .withNoCause();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolve("#{sku + 1}"))
                .withMessageContaining("NameTemplateTest.work")
                .withMessageContaining("#{sku + 1} (argument 0)")
                .withMessageNotContaining("lamp")
                .withNoCause();
    }

    @Test
    void resolve_severalArguments_areAllNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolve("#{bean.code == args[0] ? null : list[7]}"))
                .withMessageContaining("(arguments 0, 2, 4)");
    }

    @SuppressWarnings("unused")
    void keyed(@LockKey String first, @LockKey("other") Order second) {}

    @Test
    void resolve_parameterWithLockKey_isKnownByThat() throws Exception {
        Method keyed = NameTemplateTest.class.getDeclaredMethod("keyed", String.class, Order.class);
        Parameters parameters =
                Parameters.of(keyed, position -> keyed.getParameters()[position].getAnnotation(LockKey.class));
        Object[] arguments = {"a", new Order(7, null)};
        assertThat(NameTemplate.parse("#{key}-#{other.id}", parameters).resolve(arguments))
                .isEqualTo("a-7");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("#{first}", parameters))
                .withMessageContaining("[key, other]");
    }

    @Test
    void parse_positionInsideAString_isText() {
        assertThat(resolve("#{sku.concat('args[9]')}")).isEqualTo("lampargs[9]");
    }

    @Test
    void parse_dollarExpression_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-${sku}", parameters()))
                .withMessageContaining("#{…}");
    }

    @Test
    void parse_unknownName_isRefusedAndTellsTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-#{sko}", parameters()))
                .withMessageContaining("[sko]")
                .withMessageContaining("[bean, list, map, order, sku]");
    }

    @Test
    void parse_malformedTemplate_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> NameTemplate.parse("", parameters()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-#{sku", parameters()))
                .withMessageContaining("not closed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-#{sku..}", parameters()))
                .withMessageContaining("no valid expression");
    }

    record Tree(String name, List<Tree> children) {}

    record Chicken(Optional<Egg> egg) {}

    record Egg(Chicken chicken) {}

    @SuppressWarnings("unused")
    void recursive(Tree tree, Chicken chicken) {}

    @Test
    void parse_recordThatContainsItself_isAccepted() throws Exception {
        Parameters parameters = Parameters.of(
                NameTemplateTest.class.getDeclaredMethod("recursive", Tree.class, Chicken.class), position -> null);
        assertThat(NameTemplate.parse("#{tree}-#{chicken}", parameters).resolve(new Object[] {
                    new Tree("root", List.of(new Tree("leaf", List.of()))), new Chicken(Optional.empty())
                }))
                .startsWith("Tree[name=root, children=[Tree[name=leaf");
    }

    @SuppressWarnings("unused")
    void ambiguous(List<String> args) {}

    /**
     * Two callers with lists that have one element in common would have two locks, where the first element was meant.
     */
    @Test
    void parse_parameterThatIsCalledAsAllArgumentsAre_isRefused() throws Exception {
        Parameters parameters =
                Parameters.of(NameTemplateTest.class.getDeclaredMethod("ambiguous", List.class), position -> null);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("#{args[0]}", parameters))
                .withMessageContainingAll("#{args[0]} names 'args'", "@LockKey");
        NameTemplate.parse("constant", parameters);
    }

    @Test
    void parse_textThatIsTooLong_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("x".repeat(LockRequest.MAX_NAME_BYTES) + "#{sku}-", parameters()))
                .withMessageContaining("the lock's name must be 1 to " + LockRequest.MAX_NAME_BYTES + " bytes");
    }
}
