// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Model;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.faces.component.UIComponent;
import jakarta.faces.context.FacesContext;
import jakarta.faces.convert.Converter;
import jakarta.faces.convert.FacesConverter;
import jakarta.faces.event.PhaseEvent;
import jakarta.faces.event.PhaseId;
import jakarta.faces.event.PhaseListener;
import jakarta.faces.model.ListDataModel;
import jakarta.inject.Named;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.holdfast.cdi.Locked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** Methods that servers call where no interceptor is: the application is not deployed. */
class RefusedComponentsTest extends RefusedBeans {

    static Stream<Arguments> refused() {
        return Stream.of(
                bean(Getting.class, "Getting would run [doGet] without its lock", "service(ServletRequest"),
                bean(Serving.class, "Serving would run [service] without its lock"),
                bean(LockedServlet.class, "LockedServlet would run [doPost, doPut] without its lock"),
                bean(Filtering.class, "Filtering would run [doFilter] without its lock", "doFilter(ServletRequest"),
                bean(StaticObserver.class, "on(java.lang.String)", "would run without its lock"),
                bean(StaticProducer.class, "produce()", "would run without its lock"),
                bean(StereotypeOnMethod.class, "work()", "a stereotype has no effect on a method"),
                bean(Listening.class, "Listening would run without its lock", "Faces makes it itself", "@Named"),
                bean(Converting.class, "Converting would run without its lock", "managed = true"),
                bean(
                        RefusedServerParts.Configuring.class,
                        "Configuring would run without its lock",
                        "make a configurator"),
                bean(RefusedServerParts.Encoding.class, "Encoding would run without its lock", "encoder or decoder"),
                bean(RefusedServerParts.Tagging.class, "Tagging would run without its lock", "a tag of Jakarta Pages"),
                bean(
                        RefusedServerParts.Resolving.class,
                        "Resolving would run without its lock",
                        "Faces makes it itself"),
                bean(Inheriting.class, "Inheriting would run", "work()", "on a superclass that is not @Inherited"),
                bean(Overriding.class, "Overriding would run", "work()", "on a superclass that is not @Inherited"));
    }

    @Test
    void servlet_whosePublicServiceIsLocked_isAccepted() {
        deploy(ServingPublicly.class);
    }

    @Test
    void partOfFaces_thatCdiMakes_isAccepted() {
        deploy(Rows.class, ConvertingManaged.class, ListeningByName.class, ListeningByStereotype.class);
        deploy(Rows.class, Listening.class, ListeningByName.class); // the first is there for the other
    }

    @Test
    void interceptor_ofTheApplication_isRefused() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Plain.class, LockedAroundInvoke.class))
                .withMessageContainingAll("LockedAroundInvoke", "would run without its lock", "interceptors are not");
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(Plain.class, LockedInterceptor.class))
                .withMessageContainingAll("LockedInterceptor", "would run without its lock", "interceptors are not");
    }

    /** Registers the same class once more, with a lock of its own. */
    public record Twice(String lock) implements Extension {
        void add(@Observes BeforeBeanDiscovery event, BeanManager beans) {
            event.addAnnotatedType(Plain.class, "again").methods().forEach(method -> method.removeAll()
                    .add(Locked.Literal.of(lock)));
        }
    }

    @Test
    void classRegisteredTwice_withTwoLocks_isRefused() {
        assertThatExceptionOfType(DeploymentException.class)
                .isThrownBy(() -> deploy(new Twice("other"), Serving2.class, Plain.class))
                .withMessageContainingAll("Plain.work()", "two locks", "plain", "other");
        deploy(new Twice("plain"), Serving2.class, Plain.class);
    }

    @Dependent
    public static class Serving2 {}

    @Dependent
    public static class Plain {
        @Audited
        @Locked("plain")
        public void work() {}
    }

    @Dependent
    public static class Listening implements PhaseListener {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        public void beforePhase(PhaseEvent event) {}

        @Override
        public PhaseId getPhaseId() {
            return PhaseId.ANY_PHASE;
        }
    }

    @Named
    public static class ListeningByName extends Listening {
        private static final long serialVersionUID = 1L;
    }

    @Model
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface Page {}

    @Page
    public static class ListeningByStereotype extends Listening {
        private static final long serialVersionUID = 1L;
    }

    public abstract static class TextConverter implements Converter<String> {
        @Override
        public String getAsString(FacesContext context, UIComponent component, String value) {
            return value;
        }
    }

    @Dependent
    @FacesConverter("a")
    public static class Converting extends TextConverter {
        @Locked("a")
        @Override
        public String getAsObject(FacesContext context, UIComponent component, String value) {
            return value;
        }
    }

    @Dependent
    @FacesConverter(value = "b", managed = true)
    public static class ConvertingManaged extends TextConverter {
        @Locked("a")
        @Override
        public String getAsObject(FacesContext context, UIComponent component, String value) {
            return value;
        }
    }

    /** Another bean injects it. */
    @Dependent
    public static class Rows extends ListDataModel<String> {
        @Locked("a")
        public void load() {}
    }

    @Dependent
    public static class Getting extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    public static class Serving extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    public static class ServingPublicly extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        public void service(jakarta.servlet.ServletRequest request, jakarta.servlet.ServletResponse response) {}
    }

    public abstract static class Posting extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        public void doPost(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    @Locked("a")
    public static class LockedServlet extends Posting {
        private static final long serialVersionUID = 1L;

        @Override
        public void doPut(HttpServletRequest request, HttpServletResponse response) {}
    }

    @Dependent
    public static class Filtering extends HttpFilter {
        private static final long serialVersionUID = 1L;

        @Locked("a")
        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain) {}
    }

    @Dependent
    @Locked("a")
    public static class StaticObserver {
        static void on(@Observes String event) {}
    }

    @Dependent
    @Locked("a")
    public static class StaticProducer {
        @Produces
        static String produce() {
            return "";
        }
    }

    @Locked("stereotyped")
    @Stereotype
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Exclusive {}

    @Dependent
    public static class StereotypeOnMethod {
        @Exclusive
        public void work() {}
    }

    /** Its subclasses do not inherit it. */
    @Exclusive
    public static class Parent {
        public void work() {}

        private void internal() {}

        @PostConstruct
        public void begin() {}
    }

    @Dependent
    public static class Inheriting extends Parent {}

    @Dependent
    public static class Overriding extends Parent {
        @Override
        public void work() {}
    }

    @Dependent
    @Exclusive
    public static class Repeating extends Parent {}

    @Dependent
    public static class LockingItself extends Parent {
        @Override
        @Locked("own")
        public void work() {}
    }

    @Test
    void stereotypeOfASuperclass_whereTheBeanHasALockItself_isAccepted() {
        deploy(Repeating.class, LockingItself.class);
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    public @interface Audited {}

    @Audited
    @Interceptor
    @Priority(1)
    public static class LockedAroundInvoke {
        @Locked("a")
        @AroundInvoke
        Object around(InvocationContext context) throws Exception {
            return context.proceed();
        }
    }

    @Locked("a")
    @Audited
    @Interceptor
    @Priority(1)
    public static class LockedInterceptor {
        @AroundInvoke
        Object around(InvocationContext context) throws Exception {
            return context.proceed();
        }
    }
}
