// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

    private static String resolve(String template) {
        Object[] arguments = {
            "lamp", new Order(42, new Customer("Ada")), new Bean(), Map.of("key", "mapped"), List.of("first")
        };
        return NameTemplate.parse(template, method()).resolve(arguments);
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
        NameTemplate template = NameTemplate.parse("stock-#{sku}", method());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> template.resolve(new Object[] {null, null, null, null, null}))
                .withMessageContaining("#{sku} in 'stock-#{sku}' is null")
                .withMessageContaining("NameTemplateTest.work");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> template.resolve(new Object[] {"", null, null, null, null}))
                .withMessageContaining("is empty");
        assertThatIllegalArgumentException().isThrownBy(() -> resolve("#{args[9]}"));
    }

    @Test
    void resolve_objectWithoutATextOfItsOwn_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolve("#{bean}"))
                .withMessageContaining("NameTemplateTest$Bean, whose text says nothing");
        assertThatIllegalArgumentException().isThrownBy(() -> resolve("#{args}"));
    }

    @Test
    void parse_dollarExpression_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-${sku}", method()))
                .withMessageContaining("#{…}");
    }

    @Test
    void parse_unknownName_isRefusedAndTellsTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-#{sko}", method()))
                .withMessageContaining("[sko]")
                .withMessageContaining("[bean, list, map, order, sku]");
    }

    @Test
    void parse_malformedTemplate_isRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> NameTemplate.parse("", method()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-#{sku", method()))
                .withMessageContaining("not closed");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NameTemplate.parse("stock-#{sku..}", method()))
                .withMessageContaining("no valid expression");
    }
}
