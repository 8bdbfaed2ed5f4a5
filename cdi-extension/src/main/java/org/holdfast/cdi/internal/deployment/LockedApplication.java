// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

import jakarta.enterprise.inject.spi.Annotated;
import jakarta.enterprise.inject.spi.AnnotatedType;
import jakarta.enterprise.inject.spi.BeanManager;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.cdi.internal.factory.FactoryLocator;
import org.holdfast.cdi.internal.operation.Configuration;
import org.holdfast.cdi.internal.operation.LockedOperation;
import org.holdfast.cdi.internal.operation.OperationReader;
import org.jspecify.annotations.Nullable;

/**
 * The locked methods of an application: gathered while it is deployed, with all that is wrong with them, and looked up
 * by calls. Of other components than beans it knows what CDI shows of them.
 */
public final class LockedApplication {

    private final Configuration configuration = Configuration.ofTheApplication();
    private final OperationReader reader = new OperationReader(configuration);
    private final LockedOperations ofBeans = new LockedOperations();
    private final Components components = new Components();
    private final AsynchronousMethods asynchronous = new AsynchronousMethods(configuration);
    private final BeanManager beans;
    private final WebModule module;
    private final BindingLookup bindings;
    private final TargetOperations targets;

    /** A container may show the same more than once. */
    private final Set<String> problems = new LinkedHashSet<>();

    /** The classes of all beans, and whether one of each has a name. */
    private final Map<Class<?>, Boolean> named = new ConcurrentHashMap<>();

    /** Whether components may have names of their own. */
    private volatile boolean componentsDiffer;

    public LockedApplication(BeanManager beans, WebModule module) {
        this.beans = beans;
        this.module = module;
        this.bindings = new BindingLookup(beans);
        this.targets = new TargetOperations(ofBeans, beans, reader);
    }

    /** Keeps a class that CDI shows and that may be no bean: message-driven beans, and other components of servers. */
    public void show(Class<?> type) {
        components.show(type);
    }

    /** Reads the locks of a bean. */
    public void addBean(AnnotatedType<?> type) {
        ofBeans.add(type, bindings, reader, problems);
        asynchronous.collect(type);
        components.collect(type.getJavaClass());
    }

    /** Remembers whether a bean has a name, by which a page may bind it. */
    public void addName(Class<?> bean, @Nullable String name) {
        named.merge(bean, name != null, Boolean::logicalOr);
    }

    /** Remembers that an EJB may have names of its own below {@code java:comp/env}, unless it is in a web module. */
    public void addEjb(Class<?> type) {
        componentsDiffer |= !module.has(type);
    }

    /**
     * Refuses the locked methods of an EJB that callers know by a bridge method, where a server does not intercept
     * these.
     */
    public void refuseBridges(Class<?> ejb) {
        problems.addAll(OpenWebBeansLimits.bridges(ofBeans.behindBridges(ejb)));
    }

    /**
     * Refuses what OpenWebBeans does not intercept of a bean that was added, EJB or not.
     *
     * @param name of the bean, if it has one
     */
    public void refuseOnOpenWebBeans(AnnotatedType<?> bean, @Nullable String name) {
        problems.addAll(OpenWebBeansLimits.inheritedDefaults(bean, bindings));
        if (ofBeans.has(bean.getJavaClass())) {
            problems.addAll(OpenWebBeansLimits.batchWithoutName(bean.getJavaClass(), name));
        }
    }

    /** Refuses locks where no interceptor of ours comes. */
    public void refuseLocks(Annotated annotated, String kind) {
        problems.addAll(InterceptionRules.lostAnnotations(annotated, kind, bindings));
    }

    public void refuse(Collection<String> sentences) {
        problems.addAll(sentences);
    }

    /** Looks at what is known only when all beans are. */
    public void complete() {
        named.forEach((bean, hasName) -> {
            if (ofBeans.has(bean)) {
                components.whyNowhere(bean, hasName).ifPresent(problems::add);
            }
        });
        components.shownButNoBeans().forEach(component -> problems.addAll(targets.problemsOf(component)));
        problems.addAll(asynchronous.problems(beans, (type, method) -> ofBeans.find(type, method) != null));
        componentsDiffer |= components.shownButNoBeans().stream().anyMatch(component -> !module.has(component));
        all().forEach(each -> each.limited().forEach((name, limited) -> name.flatMap(FactoryLocator::bound)
                .ifPresent(bound -> problems.addAll(FactoryLimits.refused(limited, bound)))));
    }

    /** Returns all that is wrong, a sentence each. */
    public Set<String> problems() {
        return problems;
    }

    public boolean componentsDiffer() {
        return componentsDiffer;
    }

    /** Returns where the operation of a call is looked up. */
    public TargetOperations targets() {
        return targets;
    }

    /** Returns what may turn out wrong at a call, a sentence each. */
    public Set<String> doubts() {
        Set<String> doubts = new TreeSet<>();
        all().forEach(each -> doubts.addAll(each.doubts()));
        return doubts;
    }

    /**
     * The methods that a factory would refuse at each call, a sentence each.
     *
     * @param certainly those that surely take this factory
     * @param perhaps those that another module may call, with another factory
     */
    public record Refused(List<String> certainly, List<String> perhaps) {}

    /**
     * Returns what a factory refuses, for its settings, of the methods that take it.
     *
     * @param name by which they name it; empty for those that take the one that is found by itself
     */
    public Refused refusedBy(Optional<String> name, FactoryLocator.Known factory) {
        List<LockedOperation> certainly = new ArrayList<>();
        List<LockedOperation> perhaps = new ArrayList<>();
        all().flatMap(each -> each.limited().getOrDefault(name, List.of()).stream())
                .forEach(operation -> (isCertain(operation, factory) ? certainly : perhaps).add(operation));
        return new Refused(
                FactoryLimits.refused(certainly, factory.factory()), FactoryLimits.refused(perhaps, factory.factory()));
    }

    /** Returns whether a factory that is found by itself might refuse anything for its settings. */
    public boolean asksUnnamedFactoryForMuch() {
        return all().anyMatch(each -> each.limited().containsKey(Optional.<String>empty()));
    }

    private boolean isCertain(LockedOperation operation, FactoryLocator.Known factory) {
        Class<?> type = operation.method().getDeclaringClass();
        return !factory.ofTheModule() || module.has(type) || WebModule.isOfTheCallers(type);
    }

    public boolean needsUnnamedFactory() {
        return all().anyMatch(LockedOperations::needsUnnamedFactory);
    }

    public Set<String> namedFactories() {
        return all().flatMap(each -> each.namedFactories().stream()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Those of beans, and those of each component that CDI shows and that is no bean. */
    private Stream<LockedOperations> all() {
        return Stream.concat(
                Stream.of(ofBeans), components.shownButNoBeans().stream().map(targets::operationsOf));
    }

    /** Returns the classes of beans that have locks. */
    public Set<Class<?>> lockedBeans() {
        return ofBeans.beanClasses();
    }

    /** Returns why no interceptor would reach a class of a web module, a sentence each; none if one does. */
    public List<String> whyNotReached(Class<?> type, Intercepted server) {
        if (server == Intercepted.MADE_BY_CDI && components.isMadeByTheServer(type)) {
            return hasLocks(type) ? List.of(ServerInstances.sentence(type)) : List.of();
        }
        Optional<String> nowhere = components.whyNowhere(type, named.getOrDefault(type, false));
        if (nowhere.isPresent() && targets.hasLocks(type)) {
            return List.of(nowhere.get());
        }
        if (components.mayBeReached(type) || !targets.hasLocks(type)) {
            return List.of();
        }
        if (!Components.isOne(type)) {
            return List.of(
                    type.getName() + " would run without its lock: it is no bean, and what is made with new is not"
                            + " intercepted. Give it a scope; or @Vetoed, if an InterceptionFactory or Unmanaged makes it");
        }
        return server == Intercepted.ALL
                ? targets.problemsOf(type)
                : List.of(
                        type.getName() + " would run without its lock: this server does not intercept such a component"
                                + " that is no bean. Give it a scope (@Dependent), or let it call a bean that has the lock");
    }

    /** Extensions may have given a bean the annotation, which its class does not show. */
    private boolean hasLocks(Class<?> type) {
        return ofBeans.has(type) || targets.hasLocks(type);
    }

    public void clear() {
        ofBeans.clear();
        components.clear();
        named.clear();
        asynchronous.clear();
    }
}
