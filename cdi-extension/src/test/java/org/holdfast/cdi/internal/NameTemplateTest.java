// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

    @Test
    void resolve_expressionThatFails_isRefusedWithoutTellingValues() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolve("#{order.idd}"))
                .withMessageContaining("#{order.idd} (argument 1)")
                .withMessageContaining("PropertyNotFoundException")
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
}
