// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** Finds the factory to lock with: the one that is named, else the application's bean, else under the usual names in JNDI. */
final class FactoryLocator {

    /** What is below it differs from one component to the next. */
    private static final String OF_THE_COMPONENT = "java:comp/";

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
    private final Bean<?> bean;
    private final CreationalContext<?> creation;
    private final boolean componentsDiffer;
    private final Consumer<LockConnectionFactory> whenFound;

    // References are weak: a factory that is remembered must not keep the class loader of an adapter that was
    // redeployed.
    private final Map<String, WeakReference<LockConnectionFactory>> named = new ConcurrentHashMap<>();
    private volatile LockConnectionFactory ofTheApplication;
    private volatile WeakReference<LockConnectionFactory> ofTheServer = new WeakReference<>(null);

    /** By context class loader, which is one for each web module. */
    private final Map<ClassLoader, WeakReference<Object>> ofModules = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * @param bean the application's own, or null
     * @param componentsDiffer whether components of one module may have names of their own: see {@link WebModule}
     * @param whenFound told of the factory that is found by itself, at the start of the application or at its first use; others may
     *     be found later
     */
    FactoryLocator(
            BeanManager beans, Bean<?> bean, boolean componentsDiffer, Consumer<LockConnectionFactory> whenFound) {
        this.beans = beans;
        this.bean = bean;
        this.creation = beans.createCreationalContext(bean);
        this.componentsDiffer = componentsDiffer;
        this.whenFound = whenFound;
    }

    /**
     * @param name in JNDI; empty for the one that is found by itself
     * @throws IllegalStateException if there is no factory; the method does not run then
     */
    LockConnection connect(Optional<String> name) {
        LockConnectionFactory factory = name.isPresent() ? named(name.get()) : unnamed();
        try {
            return factory.getConnection();
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

    /** Lets go of what hangs on the application's bean. */
    void close() {
        forget();
        creation.release();
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
        if (!name.startsWith(OF_THE_COMPONENT)) {
            named.put(name, new WeakReference<>(present.factory()));
        }
        return present.factory();
    }

    private LockConnectionFactory unnamed() {
        return bean == null ? fromJndi() : fromBean();
    }

    private LockConnectionFactory fromBean() {
        LockConnectionFactory known = ofTheApplication;
        if (known == null) {
            known = (LockConnectionFactory) beans.getReference(bean, LockConnectionFactory.class, creation);
            whenFound.accept(known);
            ofTheApplication = known;
        }
        return known;
    }

    private LockConnectionFactory fromJndi() {
        Object ofTheModule = ofTheModule();
        if (ofTheModule instanceof LockConnectionFactory factory) {
            return factory;
        }
        LockConnectionFactory known = ofTheServer.get();
        if (known == null) {
            List<JndiFactory> tried = lookUpAll();
            known = found(tried).orElseThrow(() -> new IllegalStateException(missing(tried)));
            if (!(tried.get(0) instanceof JndiFactory.Found)) {
                ofTheServer = new WeakReference<>(known);
            }
        }
        return known;
    }

    /** Returns the factory that the module binds, or something else if it binds none. */
    private Object ofTheModule() {
        ClassLoader module = componentsDiffer ? null : Thread.currentThread().getContextClassLoader();
        WeakReference<Object> known = module == null ? null : ofModules.get(module);
        Object remembered = known == null ? null : known.get();
        if (remembered != null) {
            return remembered;
        }
        Object found =
                JndiFactory.lookUp(OF_THE_MODULE) instanceof JndiFactory.Found present ? present.factory() : NONE;
        if (module != null && (found != NONE || isModuleThere())) {
            ofModules.put(module, new WeakReference<>(found));
        }
        return found;
    }

    /** A thread without the names of its module does not say what the module binds. */
    private static boolean isModuleThere() {
        try {
            InitialContext.doLookup(OF_THE_COMPONENT + "env");
            return true;
        } catch (NamingException | RuntimeException e) {
            return false;
        }
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

    private static Optional<LockConnectionFactory> found(List<JndiFactory> tried) {
        return tried.stream()
                .filter(JndiFactory.Found.class::isInstance)
                .map(found -> ((JndiFactory.Found) found).factory())
                .findFirst();
    }

    private static String missing(List<JndiFactory> tried) {
        return "HF0505: @Locked finds no LockConnectionFactory: bind one to one of these names, or produce one as a CDI bean. "
                + describe(tried);
    }

    private static String describe(List<JndiFactory> tried) {
        return tried.stream().map(JndiFactory::toString).collect(Collectors.joining("; "));
    }

    /** Returns what is bound under a name, which is the same for all components. */
    static Optional<LockConnectionFactory> bound(String name) {
        return !name.startsWith(OF_THE_COMPONENT) && JndiFactory.lookUp(name) instanceof JndiFactory.Found found
                ? Optional.of(found.factory())
                : Optional.empty();
    }

    /** Reports that there is no factory, if that can be known here: where names of the module can be looked up. */
    void reportIfMissing() {
        if (bean != null || !isModuleThere()) {
            return;
        }
        List<JndiFactory> tried = lookUpAll();
        found(tried).ifPresent(whenFound);
        if (found(tried).isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "HF0509: methods with @Locked do not run until there is a LockConnectionFactory: "
                            + describe(tried));
        }
    }
}
