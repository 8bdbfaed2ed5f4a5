// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Observes;
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
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.holdfast.CheckReport;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockException;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.internal.deployment.ApplicationBeans;
import org.holdfast.cdi.internal.deployment.Intercepted;
import org.holdfast.cdi.internal.deployment.LockedApplication;
import org.holdfast.cdi.internal.deployment.TargetOperations;
import org.holdfast.cdi.internal.deployment.WebModule;
import org.holdfast.cdi.internal.factory.ConfiguredFactory;
import org.holdfast.cdi.internal.factory.FactoryLocator;
import org.holdfast.cdi.internal.factory.SettingSources;
import org.holdfast.cdi.internal.invocation.CallServices;
import org.holdfast.cdi.internal.invocation.CurrentLease;
import org.holdfast.cdi.internal.invocation.CurrentLeases;
import org.holdfast.cdi.internal.invocation.CurrentTransaction;
import org.holdfast.cdi.internal.invocation.LockEvents;
import org.holdfast.cdi.internal.operation.Configuration;
import org.jspecify.annotations.Nullable;

/** Brings {@link Locked} into an application. */
public class LockExtension implements Extension {

    private static final List<Class<?>> INTERCEPTORS =
            List.of(LockInterceptor.class, TransactionLockInterceptor.class, MethodGateInterceptor.class);

    /** TomEE's container for CDI. */
    private static final String OPENWEBBEANS = "org.apache.webbeans.";

    private static final System.Logger LOG = System.getLogger(LockExtension.class.getName());

    private final WebModule module = WebModule.with(LockExtension.class);
    private final ApplicationBeans found = new ApplicationBeans();
    private final CurrentLeases leases = new CurrentLeases();

    private final Queue<DeploymentException> refusedModules = new ConcurrentLinkedQueue<>();

    private volatile @Nullable LockedApplication application;

    /** What calls need; null until the application is deployed, and for ever if it cannot be. */
    private volatile @Nullable CallServices services;

    /** Registers the interceptors: this jar has no beans that would be discovered. */
    void register(@Observes BeforeBeanDiscovery event, BeanManager beans) {
        application = new LockedApplication(beans, module);
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
        application().show(event.getAnnotatedType().getJavaClass());
    }

    /** Sees each bean, EJBs too, with the annotations that other extensions have added or taken away. */
    <X> void collect(@Observes ProcessManagedBean<X> event) {
        AnnotatedType<?> type = event.getAnnotatedBeanClass();
        if (type.isAnnotationPresent(Interceptor.class)) {
            return; // it carries the annotation to say that it is ours
        }
        application().addBean(type);
        application().addName(type.getJavaClass(), event.getBean().getName());
        if (event.getClass().getName().startsWith(OPENWEBBEANS)) {
            application().refuseOnOpenWebBeans(type, event.getBean().getName());
            if (event instanceof ProcessSessionBean) {
                application().refuseBridges(type.getJavaClass());
            }
        }
        if (type.getAnnotations().stream()
                .anyMatch(annotation -> annotation.annotationType().getName().startsWith("jakarta.ejb."))) {
            application().addEjb(type.getJavaClass()); // a plain CDI container has beans in the place of EJBs
        }
    }

    <X> void findSessionBean(@Observes ProcessSessionBean<X> event) {
        application().addEjb(event.getAnnotatedBeanClass().getJavaClass());
    }

    /** Remembers what the application itself has. Decorators and interceptors are shown here only. */
    <X> void find(@Observes ProcessBean<X> event) {
        Bean<?> bean = event.getBean();
        if (bean instanceof Decorator) {
            application().refuseLocks(event.getAnnotated(), "decorators");
        }
        if (bean instanceof jakarta.enterprise.inject.spi.Interceptor
                && INTERCEPTORS.stream().noneMatch(ours -> ours.isAssignableFrom(bean.getBeanClass()))) {
            application().refuseLocks(event.getAnnotated(), "interceptors");
        }
        found.add(bean);
    }

    <T, X> void findObserver(@Observes ProcessObserverMethod<T, X> event) {
        if (!event.getObserverMethod().isAsync()) {
            found.addObserved(event.getObserverMethod().getObservedType());
        }
    }

    /** Adds what can be injected, where the application has none of its own. */
    void addBeans(@Observes AfterBeanDiscovery event) {
        if (!found.has(Lease.class)) {
            event.<Lease>addBean()
                    .id(Lease.class.getName())
                    .types(Lease.class, Object.class)
                    .qualifiers(Default.Literal.INSTANCE)
                    .scope(ApplicationScoped.class)
                    .createWith(creation -> new CurrentLease(leases));
        }
        if (!found.has(LockConnection.class)) {
            event.<LockConnection>addBean()
                    .id(LockConnection.class.getName())
                    .types(LockConnection.class, Object.class)
                    .qualifiers(Default.Literal.INSTANCE)
                    .scope(RequestScoped.class)
                    .createWith(creation -> services().factories().connect(Optional.empty()))
                    .destroyWith((connection, creation) -> connection.close());
        }
    }

    /** Reports all that is wrong, at once. */
    void validate(@Observes AfterDeploymentValidation event, BeanManager beans) {
        LockedApplication locked = application();
        ApplicationBeans.Factory factory = found.factory(beans);
        if (locked.needsUnnamedFactory()) {
            locked.refuse(factory.undecided().stream().toList());
        }
        locked.complete();
        if (!locked.problems().isEmpty()) {
            event.addDeploymentProblem(refusal(locked.problems()));
        }
        services = new CallServices(
                new FactoryLocator(
                        beans,
                        factory.bean(),
                        factory.undecided(),
                        locked.componentsDiffer(),
                        new ConfiguredFactory(
                                SettingSources.of(Configuration.ofTheApplication()), Holdfast.class.getClassLoader())),
                new CurrentTransaction(),
                leases,
                new LockEvents(beans, found.observed()));
        reportDoubts();
        found.clear();
    }

    private void reportDoubts() {
        Set<String> doubts = application().doubts();
        if (!doubts.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0511: @Locked: a name asks for a property that the declared type does not have. A call does not run"
                            + " unless its argument is of a subclass that has it: " + String.join("; ", doubts));
        }
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
     * Has the application refused when it starts, if it has not been by then: Open Liberty goes on after what a {@link
     * WebModuleCheck} throws.
     *
     * @param module says what is wrong with one of its modules
     */
    void refuseAtStart(DeploymentException module) {
        refusedModules.add(module);
    }

    /**
     * Refuses the application if one of its web modules was refused, or if its factory cannot be used or would refuse
     * each call of a method; and reports one that is missing, which may still be bound later. Names of the module can
     * be looked up from now on.
     */
    void checkFactories(@Observes @Initialized(ApplicationScoped.class) Object event) {
        for (DeploymentException refused : refusedModules) {
            throw refused;
        }
        Set<String> faults = whyFactoriesAreNotFit();
        if (!faults.isEmpty()) {
            throw refusal(faults);
        }
    }

    /**
     * Returns why the application cannot use its factory, or what that would refuse at each call of a method, a
     * sentence each. The factory that comes from settings is closed then.
     */
    Set<String> whyFactoriesAreNotFit() {
        Set<String> faults = new LinkedHashSet<>();
        CallServices known = services;
        if (known == null || !WebModule.isSeenByCaller(LockExtension.class)) {
            return faults;
        }
        if (application().needsUnnamedFactory()) {
            checkUnnamedFactory(known.factories(), faults);
        }
        known.factories()
                .findAtStart(application().namedFactories())
                .forEach((name, factory) -> checkLimits(Optional.of(name), factory, faults));
        if (!faults.isEmpty()) {
            known.factories().close(); // not every container does so when it gives up
        }
        return faults;
    }

    /**
     * Returns which factories locked methods use: names in JNDI, and empty for the one that is found by itself, which
     * is there too if no method is locked.
     */
    public List<Optional<String>> factories() {
        List<Optional<String>> names = new ArrayList<>();
        application().namedFactories().forEach(name -> names.add(Optional.of(name)));
        if (names.isEmpty() || application().needsUnnamedFactory()) {
            names.add(0, Optional.empty());
        }
        return names;
    }

    /**
     * Returns what is known of the nodes of a factory, without asking them.
     *
     * @param name one of {@link #factories()}
     * @throws IllegalStateException if there is no factory now
     */
    public CheckReport status(Optional<String> name) {
        return services().factories().ask(name, LockConnectionFactory::status);
    }

    /** Returns whether web modules share this extension: CDI does not show when each of them begins. */
    boolean isShared() {
        return module.loader() == null;
    }

    private void checkUnnamedFactory(FactoryLocator factories, Set<String> faults) {
        try {
            factories
                    .findAtStart(application().asksUnnamedFactoryForMuch())
                    .ifPresent(factory -> checkLimits(Optional.empty(), factory, faults));
        } catch (LockException e) {
            faults.add("the LockConnectionFactory from settings cannot be opened: " + e.getMessage());
        } catch (IllegalStateException e) {
            faults.add(e.getMessage());
        }
    }

    private void checkLimits(Optional<String> name, FactoryLocator.Known factory, Set<String> faults) {
        LockedApplication.Refused refused = application().refusedBy(name, factory);
        faults.addAll(refused.certainly());
        if (!refused.perhaps().isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0512: @Locked: the LockConnectionFactory refuses each call of these methods: "
                            + String.join("; ", refused.perhaps()));
        }
    }

    void forget(@Observes BeforeShutdown event) {
        application().clear();
        CallServices known = services;
        if (known != null) {
            known.factories().close();
        }
    }

    /**
     * Returns why no interceptor would reach a class of a web module, a sentence each; none if one does, or if beans
     * are not all known yet.
     */
    List<String> whyNotReached(Class<?> type, Intercepted server) {
        return services == null ? List.of() : application().whyNotReached(type, server);
    }

    /** Returns the classes of beans that have locks. */
    Set<Class<?>> lockedBeans() {
        return application().lockedBeans();
    }

    /** Returns where the operation of a call is looked up. */
    TargetOperations targets() {
        return application().targets();
    }

    /** Returns what calls need. */
    CallServices services() {
        return Objects.requireNonNull(services, "the application is not deployed");
    }

    private LockedApplication application() {
        return Objects.requireNonNull(application, "the container has not begun to discover beans");
    }
}
