// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessBean;
import jakarta.enterprise.inject.spi.ProcessManagedBean;
import jakarta.interceptor.Interceptor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.holdfast.LockConnectionFactory;

/** Brings {@link org.holdfast.cdi.Locked} into an application. */
public class LockExtension implements Extension {

    private final LockedOperations operations = new LockedOperations();
    private final List<String> problems = new ArrayList<>();
    private final Set<Bean<?>> factories = new LinkedHashSet<>();
    private final CurrentTransaction transactions = new CurrentTransaction();
    private volatile FactoryLocator locator;

    /** Registers the interceptors: this jar has no beans that would be discovered. */
    void register(@Observes BeforeBeanDiscovery event, BeanManager beans) {
        for (Class<?> interceptor : List.of(LockInterceptor.class, TransactionLockInterceptor.class)) {
            event.addAnnotatedType(beans.createAnnotatedType(interceptor), interceptor.getName());
        }
    }

    /** Sees each bean, EJBs too, with the annotations that other extensions have added or taken away. */
    <X> void collect(@Observes ProcessManagedBean<X> event, BeanManager beans) {
        AnnotatedType<?> type = event.getAnnotatedBeanClass();
        if (!type.isAnnotationPresent(
                Interceptor.class)) { // an interceptor carries the annotation to say that it is ours
            operations.add(type, new BindingLookup(beans), problems);
        }
    }

    /** Remembers where the application itself says which factory to use. */
    <X> void findFactory(@Observes ProcessBean<X> event) {
        Bean<?> bean = event.getBean();
        if (bean.getTypes().contains(LockConnectionFactory.class)
                && bean.getQualifiers().contains(Default.Literal.INSTANCE)) {
            factories.add(bean);
        }
    }

    /** Tells all that is wrong, at once. */
    void validate(@Observes AfterDeploymentValidation event, BeanManager beans) {
        Bean<?> factory = null;
        try {
            factory = factories.isEmpty() ? null : beans.resolve(Set.<Bean<?>>copyOf(factories));
        } catch (AmbiguousResolutionException e) {
            if (!operations.isEmpty()) {
                problems.add("there are several beans of type LockConnectionFactory, and it needs one: " + factories);
            }
        }
        if (!problems.isEmpty()) {
            event.addDeploymentProblem(new DeploymentException("@Locked: " + String.join("; ", problems)));
        }
        locator = new FactoryLocator(beans, factory);
        factories.clear();
    }

    void forget(@Observes BeforeShutdown event) {
        operations.clear();
    }

    LockedOperations operations() {
        return operations;
    }

    FactoryLocator factories() {
        return locator;
    }

    CurrentTransaction transactions() {
        return transactions;
    }
}
