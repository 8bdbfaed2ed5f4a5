// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.factory;

import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.Setting;
import org.jspecify.annotations.Nullable;

/**
 * Finds the factory to lock with: the one that is named, else the application's bean, else under the usual names in
 * JNDI, else, if nothing is bound to any of these, one from settings.
 */
public final class FactoryLocator {

    /** What is below it differs from one component to the next. */
    private static final String OF_THE_COMPONENT = "java:comp/";

    /** What is below one of these is not the same for all of an application, which may have this library in common. */
    private static final List<String> NOT_OF_THE_APPLICATION = List.of(OF_THE_COMPONENT, "java:module/");

    /** Each module may bind it to another factory. */
    private static final String OF_THE_MODULE = OF_THE_COMPONENT + "env/eis/holdfast";

    private static final List<String> OF_THE_SERVER = List.of(
            "java:app/eis/holdfast",
            "java:/eis/holdfast",
            "eis/holdfast",
            "openejb:Resource/holdfast.rar",
            "openejb:Resource/holdfast");

    /** Stands for a module that binds none of its own. Holds nothing. */
    private static final Object NONE = new Object();

    private static final System.Logger LOG = System.getLogger(FactoryLocator.class.getName());

    private final BeanManager beans;
    private final @Nullable Bean<?> bean;
    private final CreationalContext<?> creation;
    private final Optional<String> undecided;
    private final boolean componentsDiffer;
    private final ConfiguredFactory configured;

    /** Where the application's factory comes from, once that is known: null before. It does not change after that. */
    private final AtomicReference<@Nullable Source> source = new AtomicReference<>();

    /** A thread without names, or an adapter that is gone for a moment, must not lead to other nodes. */
    private enum Source {
        JNDI,
        SETTINGS
    }

    // References are weak: a factory that is remembered must not keep the class loader of an adapter that has gone.
    private final Map<String, WeakReference<LockConnectionFactory>> named = new ConcurrentHashMap<>();
    private volatile @Nullable LockConnectionFactory ofTheApplication;
    private volatile WeakReference<LockConnectionFactory> ofTheServer = new WeakReference<>(null);

    /** By context class loader, which is one for each web module. */
    private final Map<ClassLoader, WeakReference<Object>> ofModules = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param bean the application's own, or null
     * @param undecided why none of several beans is the application's own: then none in JNDI is taken in their place
     * @param componentsDiffer whether components of one module may have names of their own: see {@code WebModule}
     * @param configured the application's own, from settings
     */
    public FactoryLocator(
            BeanManager beans,
            @Nullable Bean<?> bean,
            Optional<String> undecided,
            boolean componentsDiffer,
            ConfiguredFactory configured) {
        this.beans = beans;
        this.bean = bean;
        this.creation = beans.createCreationalContext(bean);
        this.undecided = undecided;
        this.componentsDiffer = componentsDiffer;
        this.configured = configured;
    }

    /**
     * @param name in JNDI; empty for the one that is found by itself
     * @throws IllegalStateException if there is no factory; the method does not run then
     */
    public LockConnection connect(Optional<String> name) {
        return ask(name, LockConnectionFactory::getConnection);
    }

    /** Returns what the factory answers; as {@link #connect}. */
    public <T> T ask(Optional<String> name, Function<LockConnectionFactory, T> question) {
        LockConnectionFactory factory = name.isPresent() ? named(name.get()) : unnamed();
        try {
            return question.apply(factory);
        } catch (RuntimeException e) {
            forget(); // it may belong to an adapter that was redeployed: the next call looks again
            throw e;
        }
    }

    private void forget() {
        ofTheServer = new WeakReference<>(null);
        named.clear();
        ofModules.clear();
    }

    /** Lets go of what hangs on the application's bean, and closes the factory that comes from settings. */
    public void close() {
        forget();
        creation.release();
        configured.close();
    }

    private LockConnectionFactory named(String name) {
        WeakReference<LockConnectionFactory> known = named.get(name);
        LockConnectionFactory factory = known == null ? null : known.get();
        if (factory != null) {
            return factory;
        }
        JndiFactory found = JndiFactory.lookUp(name);
        if (!(found instanceof JndiFactory.Found present)) {
            throw new IllegalStateException(
                    "HF0504: @Locked finds no LockConnectionFactory where its member factory says: " + found);
        }
        if (isOfTheApplication(name)) {
            named.put(name, new WeakReference<>(present.factory()));
        }
        return present.factory();
    }

    private static boolean isOfTheApplication(String name) {
        return NOT_OF_THE_APPLICATION.stream().noneMatch(name::startsWith);
    }

    private LockConnectionFactory unnamed() {
        if (undecided.isPresent()) {
            throw missing(undecided.get());
        }
        return bean == null ? fromJndi() : fromBean();
    }

    private LockConnectionFactory fromBean() {
        LockConnectionFactory known = ofTheApplication;
        if (known == null) {
            known = (LockConnectionFactory) beans.getReference(bean, LockConnectionFactory.class, creation);
            ofTheApplication = known;
        }
        return known;
    }

    private LockConnectionFactory fromJndi() {
        if (source.get() == Source.SETTINGS) {
            return configured.find().orElseThrow(() -> missing("the settings that it came from are gone"));
        }
        LockConnectionFactory found = boundOrConfigured();
        return source.get() == Source.SETTINGS ? configured.find().orElse(found) : found;
    }

    private LockConnectionFactory boundOrConfigured() {
        Object ofTheModule = ofTheModule();
        if (ofTheModule instanceof LockConnectionFactory factory) {
            chooseJndi();
            return factory;
        }
        LockConnectionFactory known = ofTheServer.get();
        if (known == null) {
            List<JndiFactory> tried = lookUpAll();
            Optional<LockConnectionFactory> bound = found(tried);
            if (bound.isEmpty()) {
                return fromSettings(tried).orElseThrow(() -> missing(tried));
            }
            chooseJndi();
            known = bound.get();
            if (!(tried.get(0) instanceof JndiFactory.Found)) {
                ofTheServer = new WeakReference<>(known);
            }
        }
        return known;
    }

    /**
     * Returns the factory from settings, unless something is bound in JNDI, or was: an adapter that does not start, or
     * is gone for a moment, must not be replaced by other nodes.
     */
    private Optional<LockConnectionFactory> fromSettings(List<JndiFactory> tried) {
        if (tried.stream().anyMatch(FactoryLocator::decides) || source.get() == Source.JNDI) {
            return Optional.empty();
        }
        return configured.find().filter(factory -> {
            source.compareAndSet(null, Source.SETTINGS);
            return source.get() == Source.SETTINGS;
        });
    }

    /**
     * An application with settings of its own is refused then: which of the two is there first may differ by server.
     */
    private void chooseJndi() {
        if (source.get() == null) {
            configured.requireNoneBeside("whose factory is bound in JNDI");
            source.compareAndSet(null, Source.JNDI);
        }
    }

    /** Returns the factory that the module binds, or something else if it binds none. */
    private Object ofTheModule() {
        ClassLoader module = componentsDiffer ? null : Thread.currentThread().getContextClassLoader();
        WeakReference<Object> known = module == null ? null : ofModules.get(module);
        Object remembered = known == null ? null : known.get();
        if (remembered != null) {
            return remembered;
        }
        JndiFactory lookedUp = JndiFactory.lookUp(OF_THE_MODULE);
        if (decides(lookedUp) && found(List.of(lookedUp)).isEmpty()) {
            throw missing(List.of(lookedUp));
        }
        Object found = lookedUp instanceof JndiFactory.Found present ? present.factory() : NONE;
        if (module != null && (found != NONE || JndiFactory.isModuleThere())) {
            ofModules.put(module, new WeakReference<>(found));
        }
        return found;
    }

    private static List<JndiFactory> lookUpAll() {
        List<JndiFactory> tried = new ArrayList<>(List.of(JndiFactory.lookUp(OF_THE_MODULE)));
        for (String name : OF_THE_SERVER) {
            if (found(tried).isEmpty()) {
                tried.add(JndiFactory.lookUp(name));
            }
        }
        return tried;
    }

    /** Empty also if a name is bound to something else before: a factory of another adapter would be another lock. */
    private static Optional<LockConnectionFactory> found(List<JndiFactory> tried) {
        return tried.stream()
                .filter(FactoryLocator::decides)
                .findFirst()
                .filter(JndiFactory.Found.class::isInstance)
                .map(found -> ((JndiFactory.Found) found).factory());
    }

    /** Returns whether names that come later do not count. */
    private static boolean decides(JndiFactory lookedUp) {
        return !(lookedUp instanceof JndiFactory.Missing missing) || missing.isBound();
    }

    private IllegalStateException missing(List<JndiFactory> tried) {
        Set<String> unknown = configured.unknownNames();
        return missing("bind one to one of these names, or produce one as a CDI bean, or put holdfast-standalone into"
                + " WEB-INF/lib and set "
                + Setting.NODES.property() + " (" + Setting.NODES.environmentVariable() + "). "
                + (unknown.isEmpty() ? "" : "Not settings: " + String.join(", ", unknown) + ". ")
                + describe(tried));
    }

    private static IllegalStateException missing(String reason) {
        return new IllegalStateException("HF0505: @Locked finds no LockConnectionFactory: " + reason);
    }

    private static String describe(List<JndiFactory> tried) {
        return tried.stream().map(JndiFactory::toString).collect(Collectors.joining("; "));
    }

    /** Returns what is bound under a name, which is the same for all components. */
    public static Optional<LockConnectionFactory> bound(String name) {
        return isOfTheApplication(name) && JndiFactory.lookUp(name) instanceof JndiFactory.Found found
                ? Optional.of(found.factory())
                : Optional.empty();
    }

    /** A factory that is known at the start. If it is of the module, other web modules may bind another. */
    public record Known(LockConnectionFactory factory, boolean ofTheModule) {}

    /**
     * Returns the factory that is found by itself. Reports that there is none, if that can be known here: where
     * names of the module can be looked up.
     *
     * @param isAsked whether the factory will be asked for anything: one that is a bean is not made otherwise
     * @throws org.holdfast.LockException if the settings that it comes from are not valid, or a check at the start
     *     found no majority
     * @throws IllegalStateException if there is an adapter beside settings
     */
    public Optional<Known> findAtStart(boolean isAsked) {
        if (undecided.isPresent() || (bean != null && !isAsked)) {
            return Optional.empty();
        }
        if (bean != null) {
            return Optional.of(new Known(fromBean(), false));
        }
        return JndiFactory.isModuleThere() || JndiFactory.isThereNone() ? findInModule() : Optional.empty();
    }

    private Optional<Known> findInModule() {
        List<JndiFactory> tried = lookUpAll();
        Optional<LockConnectionFactory> bound = found(tried);
        if (bound.isPresent() && source.get() != Source.SETTINGS) {
            chooseJndi();
            return bound.map(factory -> new Known(factory, true));
        }
        Optional<LockConnectionFactory> set = source.get() == Source.SETTINGS ? configured.find() : fromSettings(tried);
        if (set.isEmpty()) {
            if (tried.stream().anyMatch(FactoryLocator::decides)) { // the server may start the adapter just now
                configured.requireNoneBeside("whose name is bound in JNDI, though no factory is there yet");
            }
            warnOf(tried);
        }
        return set.map(factory -> new Known(factory, false));
    }

    /** As {@link #findAtStart(boolean)}, of those that members name. */
    public Map<String, Known> findAtStart(Collection<String> names) {
        Map<String, Known> known = new TreeMap<>();
        List<JndiFactory> missing = new ArrayList<>();
        boolean isModuleThere = JndiFactory.isModuleThere();
        for (String name : names) {
            JndiFactory lookedUp = JndiFactory.lookUp(name);
            if (lookedUp instanceof JndiFactory.Found found) {
                known.put(name, new Known(found.factory(), !isOfTheApplication(name)));
            } else if (isModuleThere && isOfTheApplication(name)) {
                missing.add(lookedUp);
            }
        }
        if (!missing.isEmpty()) {
            warnOf(missing);
        }
        return known;
    }

    private static void warnOf(List<JndiFactory> tried) {
        LOG.log(
                System.Logger.Level.WARNING,
                "HF0509: methods with @Locked do not run until there is a LockConnectionFactory: " + describe(tried));
    }
}
