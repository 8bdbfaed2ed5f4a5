// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Stereotype;
import jakarta.inject.Inject;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.annotation.MultipartConfig;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import jakarta.websocket.ClientEndpoint;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerEndpoint;
import jakarta.websocket.server.ServerEndpointConfig;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Beans that are components, too, where the server makes the instances itself, and where CDI does. */
class TomcatComponentsTest {

    private static final String TOMCAT = "Apache Tomcat (TomEE)/10.0.27 (9.0.0)";
    private static final String PAYARA = "Payara Server  6.2025.9 #badassfish";
    private static final String LIBERTY = "IBM WebSphere Liberty/26.0.0.3";
    private static final List<String> OTHERS = List.of(PAYARA, LIBERTY);

    private static void start(String server, Class<?> shown, Class<?>... beans) throws ServletException {
        ServletContext context = (ServletContext) Proxy.newProxyInstance(
                TomcatComponentsTest.class.getClassLoader(),
                new Class<?>[] {ServletContext.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getServletRegistrations", "getFilterRegistrations" -> Map.of();
                    case "getResourcePaths" -> null;
                    case "getClassLoader" -> TomcatComponentsTest.class.getClassLoader();
                    default -> server;
                });
        try (WeldContainer container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(beans)
                .initialize()) {
            new WebModuleCheck().onStartup(Set.of(shown), context);
        }
    }

    private static void assertRefused(Class<?> shown, Class<?>... beans) {
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> start(TOMCAT, shown, beans))
                .withMessageContaining("HF0510")
                .withMessageContaining(beans[0].getName() + " would run without its lock")
                .withMessageContainingAll("makes the instance itself", "Move the method to a bean");
    }

    private static void assertAccepted(String server, Class<?> bean) {
        assertThatCode(() -> start(server, bean, bean)).as(server).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Annotated.class,
                Described.class,
                Inheriting.class,
                Sessions.class,
                Talking.class,
                Configured.class,
                Calling.class,
                ByStereotype.class
            })
    void componentWithAScope_isRefusedWhereTheServerMakesItself(Class<?> component) {
        assertRefused(component, component);
        OTHERS.forEach(server -> assertAccepted(server, component));
    }

    /** As when its superclass alone has the annotation, or a stereotype. */
    @Test
    void componentWithAScope_thatNoContainerShows_isRefused() {
        assertRefused(Injecting.class, Inheriting.class);
        assertRefused(Injecting.class, ByStereotype.class);
    }

    @Test
    void componentWithAScope_thatIsInjectedElsewhere_isRefused() {
        assertRefused(Annotated.class, Annotated.class, Injecting.class);
    }

    /** Its heir is a bean, and it is none itself. */
    @Test
    void componentWithoutAScope_whoseHeirIsABean_isRefused() {
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> start(TOMCAT, Served.class, HeirOfServed.class))
                .withMessageContaining(Served.class.getName() + " would run without its lock");
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> start(LIBERTY, Served.class, HeirOfServed.class))
                .withMessageContainingAll(Served.class.getName() + " would run without its lock", "Give it a scope");
        assertThatCode(() -> start(PAYARA, Served.class, HeirOfServed.class)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(classes = {Resource.class, AskingCdi.class, Plain.class, Unlocked.class})
    void componentThatCdiMakes_isAccepted(Class<?> component) {
        assertAccepted(TOMCAT, component);
    }

    @Test
    void initializer_isRefusedEverywhere() {
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> start(TOMCAT, Initializing.class, Plain.class))
                .withMessageContainingAll("Initializing would run without its lock", "ServiceLoader");
        assertThatExceptionOfType(jakarta.enterprise.inject.spi.DeploymentException.class)
                .isThrownBy(() -> start(LIBERTY, Initializing.class, Initializing.class))
                .withMessageContainingAll("HF0501", "Initializing would run without its lock", "ServiceLoader");
    }

    public abstract static class Serving extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        public void service(ServletRequest request, ServletResponse response) {}
    }

    @WebServlet("/a")
    @ApplicationScoped
    public static class Annotated extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        public void service(ServletRequest request, ServletResponse response) {}
    }

    /** A servlet of {@code web.xml}. */
    @MultipartConfig
    @Dependent
    public static class Described extends Serving {
        private static final long serialVersionUID = 1L;
    }

    @WebServlet("/a")
    @Dependent
    public static class Inheriting extends Serving {
        private static final long serialVersionUID = 1L;
    }

    @WebServlet("/a")
    public static class Served extends Serving {
        private static final long serialVersionUID = 1L;
    }

    @Dependent
    public static class HeirOfServed extends Served {
        private static final long serialVersionUID = 1L;
    }

    @Dependent
    public static class Sessions implements HttpSessionListener {
        @Locked("a")
        @Override
        public void sessionCreated(HttpSessionEvent event) {}
    }

    @ServerEndpoint("/a")
    @ApplicationScoped
    public static class Talking {
        @Locked("a")
        @OnMessage
        public void on(String message) {}
    }

    public static class Greeting extends ServerEndpointConfig.Configurator {}

    @ServerEndpoint(value = "/a", configurator = Greeting.class)
    @Dependent
    public static class Configured extends Talking {}

    @ClientEndpoint
    @Dependent
    public static class Calling extends Talking {}

    @Locked("a")
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface Exclusive {}

    @Exclusive
    @ServerEndpoint("/a")
    @Dependent
    public static class ByStereotype {
        @OnMessage
        public void on(String message) {}
    }

    @Dependent
    public static class Injecting {
        @Inject
        Annotated servlet;
    }

    @Path("/a")
    @Dependent
    public static class Resource {
        @Locked("a")
        @GET
        public String get() {
            return "";
        }
    }

    public static class FromCdi extends ServerEndpointConfig.Configurator {
        @Override
        public <T> T getEndpointInstance(Class<T> type) {
            throw new IllegalStateException("not called here");
        }
    }

    @ServerEndpoint(value = "/a", configurator = FromCdi.class)
    @Dependent
    public static class AskingCdi extends Talking {}

    @Dependent
    public static class Plain {
        @Locked("a")
        public void work() {}
    }

    @WebServlet("/a")
    @Dependent
    public static class Unlocked extends HttpServlet {
        private static final long serialVersionUID = 1L;
    }

    @Dependent
    public static class Initializing implements ServletContainerInitializer {
        @Locked("a")
        @Override
        public void onStartup(Set<Class<?>> types, ServletContext context) {}
    }
}
