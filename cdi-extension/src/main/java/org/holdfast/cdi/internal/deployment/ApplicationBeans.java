// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.holdfast.LockConnectionFactory;
import org.jspecify.annotations.Nullable;

/** What an application has itself: its factories come before those of JNDI, its beans before ours. */
public final class ApplicationBeans {

    private final Set<Bean<?>> factories = new LinkedHashSet<>();
    private final Set<Type> produced = new HashSet<>();
    private final Set<Type> observed = new HashSet<>();

    /**
     * The bean that factories come from.
     *
     * @param bean null if there is none, or it is not decided
     * @param undecided why it is not decided which of several beans it is, for people
     */
    public record Factory(@Nullable Bean<?> bean, Optional<String> undecided) {}

    public void add(Bean<?> bean) {
        if (bean.getQualifiers().contains(Default.Literal.INSTANCE)) {
            produced.addAll(bean.getTypes());
            if (bean.getTypes().contains(LockConnectionFactory.class)) {
                factories.add(bean);
            }
        }
    }

    public void addObserved(Type event) {
        observed.add(event);
    }

    public boolean has(Class<?> type) {
        return produced.contains(type);
    }

    /** Returns the types of events that the application observes. */
    public Set<Type> observed() {
        return Set.copyOf(observed);
    }

    public Factory factory(BeanManager beans) {
        try {
            return new Factory(
                    factories.isEmpty() ? null : beans.resolve(Set.<Bean<?>>copyOf(factories)), Optional.empty());
        } catch (AmbiguousResolutionException e) {
            return new Factory(
                    null,
                    Optional.of(
                            "there are several beans of type LockConnectionFactory, and it needs one: " + factories));
        }
    }

    public void clear() {
        factories.clear();
        produced.clear();
        observed.clear();
    }
}
