// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.cdi.Locked;
import org.jspecify.annotations.Nullable;

/** Brings {@link Locked} into an application. */
public class LockExtension implements Extension {

    private static final List<Class<?>> INTERCEPTORS = List.of(LockInterceptor.class, TransactionLockInterceptor.class);

    /** TomEE's container for CDI. */
    private static final String OPENWEBBEANS = "org.apache.webbeans.";

    private static final String NOT_INTERCEPTED =
            ": it would run without its lock: this server does not intercept an EJB"
                    + " that callers know by a type with type variables. Give it a view that has the method with these parameters,"
                    + " and no such supertype";

    private static final System.Logger LOG = System.getLogger(LockExtension.class.getName());

    private final LockedOperations operations = new LockedOperations();
    private final Components components = new Components();
    private volatile @Nullable TargetOperations targets;
    private final CurrentLeases leases = new CurrentLeases();

    /** What calls need; null until the application is deployed, and for ever if it cannot be. */
    private volatile @Nullable Deployed deployed;

    /** What is gathered while the application is deployed. A container may show the same more than once. */
    private final Set<String> problems = new LinkedHashSet<>();

    private final Set<Bean<?>> factories = new LinkedHashSet<>();
    private final Set<Type> produced = new HashSet<>();
    private final Set<Type> observed = new HashSet<>();
    private final OperationReader reader = new OperationReader(Configuration.ofTheApplication());
    private final WebModule module = WebModule.with(LockExtension.class);

    /** Whether components may have names of their own. */
    private volatile boolean componentsDiffer;

    private record Deployed(CurrentTransaction transactions, FactoryLocator locator, LockEvents events) {}

    /** Registers the interceptors: this jar has no beans that would be discovered. */
    void register(@Observes BeforeBeanDiscovery event, BeanManager beans) {
        targets = new TargetOperations(operations, beans, reader);
        for (Class<?> interceptor : INTERCEPTORS) {
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

    /** Sees message-driven beans, which are not shown as beans, and other components of servers. */
    <X> void show(@Observes @WithAnnotations(Locked.class) ProcessAnnotatedType<X> event) {
        components.show(event.getAnnotatedType().getJavaClass());
    }

    /** Sees each bean, EJBs too, with the annotations that other extensions have added or taken away. */
    <X> void collect(@Observes ProcessManagedBean<X> event, BeanManager beans) {
        AnnotatedType<?> type = event.getAnnotatedBeanClass();
        if (!type.isAnnotationPresent(
                Interceptor.class)) { // an interceptor carries the annotation to say that it is ours
            operations.add(type, new BindingLookup(beans), reader, problems);
            components.collect(type.getJavaClass());
            if (event instanceof ProcessSessionBean
                    && event.getClass().getName().startsWith(OPENWEBBEANS)) {
                operations.behindBridges(type.getJavaClass()).forEach(method -> problems.add(method + NOT_INTERCEPTED));
            }
            boolean isEjb = type.getAnnotations().stream()
                    .anyMatch(
                            annotation -> annotation.annotationType().getName().startsWith("jakarta.ejb."));
            componentsDiffer |= isEjb && !module.has(type.getJavaClass());
        }
    }

    /**
     * Remembers what the application itself has: it comes before ours. Decorators and interceptors are shown here only.
     */
    <X> void find(@Observes ProcessBean<X> event, BeanManager beans) {
        Bean<?> bean = event.getBean();
        if (bean instanceof Decorator) {
            problems.addAll(
                    InterceptionRules.lostAnnotations(event.getAnnotated(), "decorators", new BindingLookup(beans)));
        }
        if (bean instanceof jakarta.enterprise.inject.spi.Interceptor
                && INTERCEPTORS.stream().noneMatch(ours -> ours.isAssignableFrom(bean.getBeanClass()))) {
            problems.addAll(
                    InterceptionRules.lostAnnotations(event.getAnnotated(), "interceptors", new BindingLookup(beans)));
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
                    .createWith(creation -> factories().connect(Optional.empty()))
                    .destroyWith((connection, creation) -> connection.close());
        }
    }

    /** Reports all that is wrong, at once. */
    void validate(@Observes AfterDeploymentValidation event, BeanManager beans) {
        Bean<?> factory = null;
        Optional<String> undecided = Optional.empty();
        try {
            factory = factories.isEmpty() ? null : beans.resolve(Set.<Bean<?>>copyOf(factories));
        } catch (AmbiguousResolutionException e) {
            undecided = Optional.of(
                    "there are several beans of type LockConnectionFactory, and it needs one: " + factories);
            if (all().anyMatch(LockedOperations::needsUnnamedFactory)) {
                problems.add(undecided.get());
            }
        }
        components
                .shownButNoBeans()
                .forEach(component -> problems.addAll(operations().problemsOf(component)));
        componentsDiffer |= components.shownButNoBeans().stream().anyMatch(component -> !module.has(component));
        all().forEach(each -> each.limited().forEach((name, limited) -> name.flatMap(FactoryLocator::bound)
                .ifPresent(bound -> problems.addAll(FactoryLimits.refused(limited, bound)))));
        if (!problems.isEmpty()) {
            event.addDeploymentProblem(refusal(problems));
        }
        deployed = new Deployed(
                new CurrentTransaction(),
                new FactoryLocator(beans, factory, undecided, componentsDiffer, this::reportRefused),
                new LockEvents(beans, observed));
        reportDoubts();
        factories.clear();
        produced.clear();
        observed.clear();
    }

    /** Those of beans, and those of each component that CDI shows and that is no bean. */
    private Stream<LockedOperations> all() {
        return Stream.concat(
                Stream.of(operations), components.shownButNoBeans().stream().map(operations()::operationsOf));
    }

    private void reportDoubts() {
        Set<String> doubts = new TreeSet<>();
        all().forEach(each -> doubts.addAll(each.doubts()));
        if (!doubts.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0511: @Locked: a name asks for a property that the declared type does not have. A call does not run"
                            + " unless its argument is of a subclass that has it: " + String.join("; ", doubts));
        }
    }

    /**
     * The module that asks may have another factory than the one that is found here, so the application is not refused.
     */
    private void reportRefused(LockConnectionFactory found) {
        List<String> refused = all().map(each -> each.limited().getOrDefault(Optional.<String>empty(), List.of()))
                .flatMap(limited -> FactoryLimits.refused(limited, found).stream())
                .toList();
        if (!refused.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0512: @Locked: the LockConnectionFactory refuses each call of these methods: "
                            + String.join("; ", refused));
        }
    }

    /**
     * Returns why no interceptor would reach a class of a web module, a sentence each; none if one does, or if beans
     * are not all known yet.
     *
     * @param intercepts whether the server intercepts components that are no beans
     */
    List<String> whyNotReached(Class<?> type, boolean intercepts) {
        if (deployed == null || components.mayBeReached(type) || !operations().hasLocks(type)) {
            return List.of();
        }
        if (!Components.isOne(type)) {
            return List.of(
                    type.getName() + " would run without its lock: it is no bean, and what is made with new is not"
                            + " intercepted. Give it a scope; or @Vetoed, if an InterceptionFactory or Unmanaged makes it");
        }
        return intercepts
                ? operations().problemsOf(type)
                : List.of(
                        type.getName() + " would run without its lock: this server does not intercept such a component"
                                + " that is no bean. Give it a scope, or let it call a bean that has the lock");
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

    /**
     * Each EJB may have names of its own below {@code java:comp/env}, unless it is in a web module. A plain CDI
     * container has beans in their place.
     */
    <X> void findSessionBean(@Observes ProcessSessionBean<X> event) {
        componentsDiffer |= !module.has(event.getAnnotatedBeanClass().getJavaClass());
    }

    /** Reports a factory that is missing when the application begins to work. It may still be bound later. */
    void reportMissingFactory(@Observes @Initialized(ApplicationScoped.class) Object event) {
        Deployed known = deployed;
        if (known == null) {
            return;
        }
        if (all().anyMatch(LockedOperations::needsUnnamedFactory)) {
            known.locator().reportIfMissing();
        }
        known.locator()
                .reportMissing(all().flatMap(each -> each.namedFactories().stream())
                        .collect(Collectors.toCollection(TreeSet::new)));
    }

    void forget(@Observes BeforeShutdown event) {
        operations.clear();
        components.clear();
        Deployed known = deployed;
        if (known != null) {
            known.locator().close();
        }
    }

    TargetOperations operations() {
        return Objects.requireNonNull(targets, "the container has not begun to discover beans");
    }

    Components components() {
        return components;
    }

    FactoryLocator factories() {
        return deployed().locator();
    }

    CurrentTransaction transactions() {
        return deployed().transactions();
    }

    CurrentLeases leases() {
        return leases;
    }

    LockEvents events() {
        return deployed().events();
    }

    private Deployed deployed() {
        return Objects.requireNonNull(deployed, "the application is not deployed");
    }
}
