// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.ejb.MessageDriven;
import jakarta.ejb.Singleton;
import jakarta.ejb.Stateful;
import jakarta.ejb.Stateless;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.AfterTypeDiscovery;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.BeforeShutdown;
import jakarta.enterprise.inject.spi.Decorator;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.ProcessBean;
import jakarta.enterprise.inject.spi.ProcessManagedBean;
import jakarta.enterprise.inject.spi.ProcessObserverMethod;
import jakarta.enterprise.inject.spi.ProcessSessionBean;
import jakarta.enterprise.inject.spi.WithAnnotations;
import jakarta.interceptor.Interceptor;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** Brings {@link org.holdfast.cdi.Locked} into an application. */
public class LockExtension implements Extension {

    private final LockedOperations operations = new LockedOperations();
    private final CurrentLeases leases = new CurrentLeases();
    private volatile CurrentTransaction transactions;
    private volatile FactoryLocator locator;
    private volatile LockEvents events;

    /** What is gathered while the application is deployed. A container may show the same more than once. */
    private final Set<String> problems = new LinkedHashSet<>();

    private final Set<Bean<?>> factories = new LinkedHashSet<>();
    private final Set<Type> produced = new HashSet<>();
    private final Set<Type> observed = new HashSet<>();
    private OperationReader reader;
    private volatile boolean ejbs;

    /** Registers the interceptors: this jar has no beans that would be discovered. */
    void register(@Observes BeforeBeanDiscovery event, BeanManager beans) {
        reader = new OperationReader(Configuration.ofTheApplication());
        for (Class<?> interceptor : List.of(LockInterceptor.class, TransactionLockInterceptor.class)) {
            event.addAnnotatedType(beans.createAnnotatedType(interceptor), interceptor.getName());
        }
    }

    /** Puts what a server forgets in its place, so that there is a transaction under the lock. */
    void complete(@Observes AfterTypeDiscovery event, BeanManager beans) {
        for (Class<?> forgotten : TransactionalOfTomEE.interceptorsNotIn(event.getInterceptors())) {
            event.getInterceptors().add(event.getInterceptors().indexOf(TransactionLockInterceptor.class), forgotten);
            event.addAnnotatedType(beans.createAnnotatedType(forgotten), forgotten.getName());
        }
    }

    /** Sees each bean, EJBs too, with the annotations that other extensions have added or taken away. */
    <X> void collect(@Observes ProcessManagedBean<X> event, BeanManager beans) {
        AnnotatedType<?> type = event.getAnnotatedBeanClass();
        if (!type.isAnnotationPresent(
                Interceptor.class)) { // an interceptor carries the annotation to say that it is ours
            operations.add(type, new BindingLookup(beans), reader, problems);
        }
    }

    /** Remembers what the application itself has: it comes before ours. Decorators are shown here only. */
    <X> void find(@Observes ProcessBean<X> event, BeanManager beans) {
        Bean<?> bean = event.getBean();
        if (bean instanceof Decorator) {
            problems.addAll(Placement.lostAnnotations(event.getAnnotated(), new BindingLookup(beans)));
        }
        if (bean.getQualifiers().contains(Default.Literal.INSTANCE)) {
            produced.addAll(bean.getTypes());
            if (bean.getTypes().contains(LockConnectionFactory.class)) {
                factories.add(bean);
            }
        }
    }

    <T, X> void findObserver(@Observes ProcessObserverMethod<T, X> event) {
        if (!event.getObserverMethod().isAsync()) {
            observed.add(event.getObserverMethod().getObservedType());
        }
    }

    /** Adds what can be injected, where the application has none of its own. */
    void addBeans(@Observes AfterBeanDiscovery event) {
        if (!produced.contains(Lease.class)) {
            event.<Lease>addBean()
                    .id(Lease.class.getName())
                    .types(Lease.class, Object.class)
                    .qualifiers(Default.Literal.INSTANCE)
                    .scope(ApplicationScoped.class)
                    .createWith(creation -> new CurrentLease(leases));
        }
        if (!produced.contains(LockConnection.class)) {
            event.<LockConnection>addBean()
                    .id(LockConnection.class.getName())
                    .types(LockConnection.class, Object.class)
                    .qualifiers(Default.Literal.INSTANCE)
                    .scope(RequestScoped.class)
                    .createWith(creation -> locator.connect(Optional.empty()))
                    .destroyWith((connection, creation) -> connection.close());
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
            event.addDeploymentProblem(refusal(problems));
        }
        transactions = new CurrentTransaction();
        locator = new FactoryLocator(beans, factory, ejbs);
        events = new LockEvents(beans, observed);
        factories.clear();
        produced.clear();
        observed.clear();
    }

    /** One message for all: servers print each with a stack trace, which says nothing of the application's fault. */
    private static DeploymentException refusal(Set<String> faults) {
        String all = faults.size() == 1
                ? faults.iterator().next()
                : faults.size() + " faults:\n - " + String.join("\n - ", faults);
        DeploymentException refusal = new DeploymentException("HF0501: @Locked: " + all);
        refusal.setStackTrace(new StackTraceElement[0]);
        return refusal;
    }

    /** Each EJB may have names of its own below {@code java:comp/env}. */
    void findEjb(
            @Observes @WithAnnotations({Stateless.class, Stateful.class, Singleton.class, MessageDriven.class})
                    ProcessAnnotatedType<?> event) {
        ejbs = true;
    }

    <X> void findSessionBean(@Observes ProcessSessionBean<X> event) {
        ejbs = true;
    }

    /** Reports a factory that is missing when the application begins to work. It may still be bound later. */
    void reportMissingFactory(@Observes @Initialized(ApplicationScoped.class) Object event) {
        if (operations.needsUnnamedFactory() && locator != null) {
            locator.reportIfMissing();
        }
    }

    void forget(@Observes BeforeShutdown event) {
        operations.clear();
        if (locator != null) { // there is none where the application could not be deployed
            locator.close();
        }
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

    CurrentLeases leases() {
        return leases;
    }

    LockEvents events() {
        return events;
    }
}
