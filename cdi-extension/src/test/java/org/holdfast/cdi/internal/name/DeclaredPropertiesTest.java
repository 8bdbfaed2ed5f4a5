// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.net.URL;
import java.security.Principal;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which properties in a name are known not to be there before any call. */
class DeclaredPropertiesTest {

    record Order(long id, Customer customer, Map<String, Order> parts, List<Item> items, Box<Customer> box) {}

    record Customer(String name, Account account) {
        public String getGreeting() {
            return "Hello " + name;
        }
    }

    enum State {
        OPEN,
        CLOSED
    }

    enum Shape {
        ROUND {
            @Override
            public String toString() {
                return "round";
            }
        }
    }

    public static final class Box<T> {
        public final String label = "label";

        public T getValue() {
            return null;
        }

        public boolean isFull() {
            return false;
        }

        public URL getURL() {
            return null;
        }
    }

    public interface Owned {
        Item getOwner();
    }

    /**
     * The compiler gives it a second getOwner, for callers of the interface; and the JDK reads one of the getters of
     * state.
     */
    public static final class Twofold implements Owned {
        @Override
        public Coin getOwner() {
            return null;
        }

        public boolean isState() {
            return true;
        }

        public Customer getState() {
            return null;
        }
    }

    public record Coin(String code) implements Item {
        @Override
        public String getCode() {
            return code;
        }
    }

    /** An entity, as a rule. */
    public static class Account {
        public String getNumber() {
            return "1";
        }
    }

    public interface Item {
        String getCode();
    }

    @SuppressWarnings("unused")
    <T> void work(
            Order order,
            String sku,
            State state,
            Shape shape,
            Box<String> box,
            Account account,
            Item item,
            Object object,
            Principal principal,
            T variable,
            List<Order> list,
            Collection<Order> collection,
            Order[] array,
            Map<String, Order> map,
            Optional<Order> optional,
            int number,
            Twofold twofold) {}

    private static NameTemplate parse(String template) {
        Method method = Arrays.stream(DeclaredPropertiesTest.class.getDeclaredMethods())
                .filter(m -> m.getName().equals("work"))
                .findFirst()
                .orElseThrow();
        return NameTemplate.parse(template, Parameters.of(method, position -> null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{order.nope}",
                "order-#{order.customer.nope}-#{sku}",
                "#{ order . customer . nope }",
                "#{args[0].nope}",
                "#{args[ 0 ].customer.nope}",
                "#{order.nope.name()}",
                "#{sku += order.nope}",
                "#{empty order.nope ? sku : state}",
                "#{'it is order.id' += order.nope}",
                "#{sku.nope}",
                "#{state.nope}",
                "#{state.name}",
                "#{box.nope}",
                "#{box.label}",
                "#{list.nope}",
                "#{order.items.size}",
                "#{array.nope}",
                "#{optional.nope}",
                "#{number.nope}",
                "#{order.class.nope}",
                "#{list.class}",
                "#{twofold.owner.nope}"
            })
    void property_thatNoValueHas_isRefused(String template) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(template))
                .withMessageContaining("asks for the property '")
                .withMessageContaining("does not have; there are [");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#{order.id}",
                "#{order.customer.name}",
                "#{order.customer.greeting}",
                "#{order.customer.account.number}",
                "#{order.customer().nope}",
                "#{order.customer.nope()}",
                "#{order.parts.nope}",
                "#{order.items[0].nope}",
                "#{order.box.value.nope}",
                "#{order['nope']}",
                "#{'order.nope'}",
                "#{list.stream().map(order -> order.nope).findFirst().get()}",
                "#{box.full}",
                "#{box.URL}",
                "#{state.declaringClass}",
                "#{map.nope.nope}",
                "#{array.length}",
                "#{object.nope}",
                "#{principal.nope}",
                "#{variable.nope}",
                "#{collection.nope}",
                "#{optional.present}",
                "#{order.class.simpleName}",
                "#{args[0].customer.class.name}",
                "#{account.class.name}",
                "#{twofold.owner.code}",
                "#{twofold.state.name}"
            })
    void property_thatThereIsOrMayBe_isAccepted(String template) {
        assertThatCode(() -> assertThat(parse(template).doubts()).isEmpty()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#{account.nope}", "#{order.customer.account.nope}", "#{item.nope}", "#{shape.nope}"})
    void property_thatASubclassMayHave_isDoubted(String template) {
        assertThat(parse(template).doubts())
                .singleElement()
                .asString()
                .startsWith(template + " asks for the property 'nope', which ");
    }
}
