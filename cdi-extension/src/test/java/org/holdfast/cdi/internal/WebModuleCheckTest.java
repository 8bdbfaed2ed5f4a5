// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.Vetoed;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.servlet.Registration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerEndpoint;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Classes that a servlet container shows and CDI does not, or not as beans. */
class WebModuleCheckTest {

    private static final String INTERCEPTING = "Payara Server  6.2025.9 #badassfish";
    private static final String TOMCAT = "Apache Tomcat (TomEE)/10.0.27 (9.0.0)";
    private static final String OTHER = "IBM WebSphere Liberty/26.0.0.3";

    /** What the module has, as a servlet container lists it. */
    private static final String CLASSES = "/WEB-INF/classes/";

    private static final String PACKAGE = CLASSES + "org/holdfast/cdi/internal/";
    private static final Map<String, Set<String>> RESOURCES = Map.of(
            CLASSES,
            Set.of(PACKAGE, CLASSES + "settings.properties"),
            PACKAGE,
            Set.of(
                    PACKAGE + "WebModuleCheckTest$Endpoint.class",
                    PACKAGE + "WebModuleCheckTest$Bean.class",
                    PACKAGE + "WebModuleCheckTest$Unlocked.class",
                    PACKAGE + "WebModuleCheckTest$Incomplete.class",
                    PACKAGE + "WebModuleCheckTest$Middle.class",
                    PACKAGE + "WebModuleCheckTest$Heir.class",
                    PACKAGE + "WebModuleCheckTest$HeirOfView.class",
                    PACKAGE + "WebModuleCheckTest$UnusedHeir.class"));

    private static final String LIBRARIES = "/WEB-INF/lib/";

    /** A module with nothing in it but this jar, which has one class. */
    private static final Map<String, Set<String>> LIBRARY_ONLY =
            Map.of(LIBRARIES, Set.of(LIBRARIES + "components.jar", LIBRARIES + "notices.txt"));

    private static Map<String, Set<String>> resources = RESOURCES;

    private static ClassLoader loader = WebModuleCheckTest.class.getClassLoader();

    @AfterEach
    void forget() {
        loader = WebModuleCheckTest.class.getClassLoader();
        resources = RESOURCES;
    }

    private static void start(String server, Class<?>... locked) throws ServletException {
        start(server, Map.of(), locked);
    }

    private static void start(String server, Map<String, Registration> registered, Class<?>... locked)
            throws ServletException {
        ServletContext context = (ServletContext) Proxy.newProxyInstance(
                WebModuleCheckTest.class.getClassLoader(),
                new Class<?>[] {ServletContext.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getServletRegistrations", "getFilterRegistrations" -> registered;
                    case "getResourcePaths" -> resources.get(arguments[0]);
                    case "getResourceAsStream" -> resource(arguments[0].toString());
                    case "getClassLoader" -> loader;
                    default -> server;
                });
        new WebModuleCheck().onStartup(locked.length == 0 ? null : Set.of(locked), context);
    }

    private static InputStream resource(String path) throws IOException {
        if (!path.startsWith(LIBRARIES)) {
            return WebModuleCheckTest.class.getResourceAsStream(path.substring(CLASSES.length() - 1));
        }
        ByteArrayOutputStream jar = new ByteArrayOutputStream();
        try (ZipOutputStream entries = new ZipOutputStream(jar);
                InputStream file = WebModuleCheckTest.class.getResourceAsStream("WebModuleCheckTest$Endpoint.class")) {
            entries.putNextEntry(new ZipEntry("org/holdfast/cdi/internal/WebModuleCheckTest$Endpoint.class"));
            file.transferTo(entries);
        }
        return new ByteArrayInputStream(jar.toByteArray());
    }

    private static void startWithCdi(String server, Class<?>... locked) throws ServletException {
        try (WeldContainer container = container()) {
            start(server, locked);
        }
    }

    private static WeldContainer container() {
        return new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Bean.class)
                .initialize();
    }

    private static void assertRefused(String server, Class<?> type, String... words) {
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> startWithCdi(server, type))
                .withMessageContaining("HF0510")
                .withMessageContainingAll(words);
    }

    /** Without a scope it is no bean, and Faces makes it itself. */
    @Test
    void partOfFaces_isRefusedOnEveryServer() {
        for (String server : new String[] {INTERCEPTING, OTHER}) {
            assertRefused(
                    server,
                    RefusedServerParts.PartOfFaces.class,
                    "PartOfFaces would run without its lock",
                    "Faces makes it itself");
        }
    }

    @Test
    void servletWithDoGet_isRefused_withoutCdiToo() {
        assertRefused(INTERCEPTING, Getting.class, "Getting would run [doGet] without its lock");
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> start(OTHER, Getting.class))
                .withMessageContaining("Getting would run [doGet] without its lock");
    }

    @Test
    void classThatIsNoBean_isRefused() {
        assertRefused(INTERCEPTING, NoBean.class, "NoBean would run without its lock", "Give it a scope", "@Vetoed");
    }

    @Test
    void endpointThatIsNoBean_isRefusedWhereItIsNotIntercepted() throws Exception {
        assertRefused(OTHER, Endpoint.class, "Endpoint would run without its lock", "Give it a scope");
        startWithCdi(INTERCEPTING, Endpoint.class);
    }

    /** Open Liberty logs what an initializer throws, and starts the module all the same. */
    @Test
    void moduleThatIsRefused_whereTheServerGoesOn_isRefusedWhenItStarts() {
        try (WeldContainer container = container()) {
            Event<Object> started = container.event().select(Initialized.Literal.APPLICATION);
            started.fire("another module");
            assertThatExceptionOfType(ServletException.class).isThrownBy(() -> start(OTHER, Endpoint.class));
            assertThatExceptionOfType(DeploymentException.class)
                    .isThrownBy(() -> started.fire("the module"))
                    .withMessageContainingAll("HF0510", "Endpoint would run without its lock");
        }
    }

    @Test
    void endpointWithAFault_isRefusedWhereItIsIntercepted() {
        assertRefused(INTERCEPTING, FaultyEndpoint.class, "FaultyEndpoint.held", "#{idd}");
    }

    @Test
    void beansAndWhatIsVetoedAndInterceptors_areAccepted() {
        assertThatCode(() -> startWithCdi(
                        OTHER,
                        Bean.class,
                        ParentOfBean.class,
                        VetoedClass.class,
                        Unlocked.class,
                        LockInterceptor.class))
                .doesNotThrowAnyException();
        assertThatCode(() -> startWithCdi(OTHER)).doesNotThrowAnyException();
    }

    /** Tomcat shows classes that have the annotation themselves, and these have it on methods. */
    @Test
    void endpointThatIsNotShown_isFoundAndRefused() {
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> startWithCdi(TOMCAT))
                .withMessageContainingAll("HF0510", "Endpoint would run without its lock")
                .withMessageNotContaining("Bean");
    }

    @Test
    void endpointThatIsNotShown_inALibraryOfTheModule_isFoundAndRefused() {
        resources = LIBRARY_ONLY;
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> startWithCdi(TOMCAT))
                .withMessageContainingAll("HF0510", "Endpoint would run without its lock");
    }

    /** No container shows it: it has the annotation from its superclass, or from an interface. */
    @Test
    void endpointWhoseParentIsLocked_isFoundAndRefusedWhereItIsNotIntercepted() throws Exception {
        assertRefused(OTHER, ParentOfEndpoint.class, "Heir would run without its lock", "Give it a scope");
        assertRefused(TOMCAT, ParentOfEndpoint.class, "Heir would run without its lock", "Move the method to a bean");
        startWithCdi(INTERCEPTING, ParentOfEndpoint.class);
        assertRefused(OTHER, View.class, "HeirOfView would run without its lock");
        assertRefused(INTERCEPTING, View.class, "HeirOfView would run ", "on an interface", "is not inherited");
    }

    /** It can be made and called, and CDI cannot make a bean of it. */
    @Test
    void classWhoseMethodsCannotBeLookedAt_isRefused() {
        loader = new WithoutMissing();
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> startWithCdi(TOMCAT))
                .withMessageContainingAll(
                        "Incomplete would run without its lock: it is no bean, for a class",
                        "WebModuleCheckTest$Missing");
    }

    @Test
    void servletThatIsNotShown_isRefused_ifItIsRegistered() {
        assertThatExceptionOfType(ServletException.class)
                .isThrownBy(() -> start(TOMCAT, Map.of("servlet", registration(Getting.class.getName()))))
                .withMessageContainingAll("HF0510", "Getting would run [doGet] without its lock");
    }

    @Test
    void components_thatAreNoneOfTheModule_areAccepted() throws Exception {
        start(
                TOMCAT,
                Map.of(
                        "one that is an object", registration(null),
                        "of the server", registration("org.example.NotThere"),
                        "without a lock", registration(HttpServlet.class.getName())));
    }

    private static Registration registration(String className) {
        return (Registration) Proxy.newProxyInstance(
                WebModuleCheckTest.class.getClassLoader(),
                new Class<?>[] {Registration.class},
                (proxy, method, arguments) -> className);
    }

    public static class Getting extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {}
    }

    public static class NoBean {
        @Locked("a")
        public void work() {}
    }

    @ServerEndpoint("/held")
    public static class Endpoint {
        @Locked("a")
        @OnMessage
        public void held(String message) {}
    }

    @ServerEndpoint("/held")
    public static class FaultyEndpoint {
        @Locked("#{idd}")
        @OnMessage
        public void held(String message) {}
    }

    public static class ParentOfBean {
        @Locked("a")
        public void work() {}
    }

    @Dependent
    public static class Bean extends ParentOfBean {}

    @Vetoed
    public static class VetoedClass {
        @Locked("a")
        public void work() {}
    }

    public static class Unlocked {}

    public abstract static class ParentOfEndpoint {
        @Locked("a")
        public void work() {}
    }

    public abstract static class Middle extends ParentOfEndpoint {}

    @ServerEndpoint("/heir")
    public static class Heir extends Middle {}

    /** Nothing makes it but the application. */
    public static class UnusedHeir extends Middle {}

    public interface View {
        @Locked("a")
        void work();
    }

    @ServerEndpoint("/view")
    public static class HeirOfView implements View {
        @Override
        public void work() {}
    }

    public static class Missing {}

    public static class Incomplete {
        @Locked("a")
        public void work() {}

        public void other(Missing missing) {}
    }

    /** Loads one class itself, so that it is asked for what that one needs, and has not all of it. */
    private static final class WithoutMissing extends ClassLoader {
        WithoutMissing() {
            super(WebModuleCheckTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Missing.class.getName())) {
                throw new ClassNotFoundException(name);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null && name.equals(Incomplete.class.getName())
                    ? define(name)
                    : super.loadClass(name, resolve);
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
