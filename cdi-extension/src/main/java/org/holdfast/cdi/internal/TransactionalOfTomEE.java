// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The interceptors for {@code @Transactional} that TomEE forgets in the web modules of an EAR.
 *
 * <p>It registers them in the container of the EAR, and only if a module with beans is there that is no web module
 * (OpenEJB's {@code CdiScanner.init}). Without them methods run under their lock, but in no transaction. With them, in
 * the container of the EAR, that of a web module inherits them but cannot put them in order with ours, and the EAR is
 * not deployed ({@code InterceptorsManager.compareCdiInterceptors} of OpenWebBeans).
 */
final class TransactionalOfTomEE {

    private static final String WEB_MODULES = "org.apache.tomee.catalina.TomEEWebappClassLoader";
    private static final String PACKAGE = "org.apache.openejb.cdi.transactional.";

    private static final List<String> INTERCEPTORS = List.of(
            "MandatoryInterceptor",
            "NeverInterceptor",
            "NotSupportedInterceptor",
            "RequiredInterceptor",
            "RequiredNewInterceptor",
            "SupportsInterceptor");

    private TransactionalOfTomEE() {}

    /** Returns those that a web module lacks which is being deployed by this thread; none on other servers. */
    static List<Class<?>> interceptorsNotIn(Collection<Class<?>> known) {
        ClassLoader module = Thread.currentThread().getContextClassLoader();
        if (module == null || !module.getClass().getName().equals(WEB_MODULES)) {
            return List.of();
        }
        List<Class<?>> forgotten = new ArrayList<>();
        for (String name : INTERCEPTORS) {
            try {
                Class<?> interceptor = Class.forName(PACKAGE + name, false, module);
                if (!known.contains(interceptor)) {
                    forgotten.add(interceptor);
                }
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(
                        "HF0508: this TomEE has no " + PACKAGE + name
                                + ", without which @Transactional may have no effect in a web module",
                        e);
            }
        }
        return forgotten;
    }
}
