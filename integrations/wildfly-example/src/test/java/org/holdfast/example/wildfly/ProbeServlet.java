// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;

/** What a test asks inside the server. */
@WebServlet("/probe")
public class ProbeServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Resource(lookup = "java:/eis/holdfast")
    private transient LockConnectionFactory locks;

    @Resource
    private transient UserTransaction transaction;

    @Inject
    private transient CommitWitness witness;

    /** The lease that was asked for last, and belongs to no call. */
    private static final AtomicReference<Lease> LEASE = new AtomicReference<>();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        String argument = request.getParameter("of");
        try {
            response.getWriter().print(answer(request.getParameter("ask"), argument));
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    private Object answer(String question, String argument) throws Exception {
        return switch (question) {
            case "factory" -> locks.getClass().getClassLoader();
            case "api" -> LockConnectionFactory.class.getClassLoader();
            case "setting" -> setting(argument);
            case "adapter" -> System.identityHashCode(adapter());
            case "steps" -> stepsOfACall(argument);
            case "hold" -> hold(argument);
            case "release" -> LEASE.getAndSet(null).release();
            case "loaders" -> loaders(argument);
            case "transaction" -> heldWhileTheTransactionLasts(argument);
            case "held" -> isHeld(argument);
            default -> throw new IllegalArgumentException(question);
        };
    }

    /** What the server has injected into the adapter. */
    private Object setting(String name) throws Exception {
        Object adapter = adapter();
        Method getter =
                adapter.getClass().getMethod("get" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1));
        return getter.invoke(adapter);
    }

    private Object adapter() throws ReflectiveOperationException {
        Object factory = field(locks, "factory");
        return factory.getClass().getMethod("getResourceAdapter").invoke(factory);
    }

    private List<String> stepsOfACall(String name) {
        witness.work(name);
        return witness.steps(name);
    }

    /** Returns whether the lock was free, and is held now. */
    private boolean hold(String name) throws InterruptedException {
        try (LockConnection connection = locks.getConnection()) {
            Optional<Lease> lease = connection.tryAcquire(LockRequest.of(name).detached());
            lease.ifPresent(LEASE::set);
            return lease.isPresent();
        }
    }

    /** Returns how many class loaders of an application the threads of this server have. */
    private static long loaders(String application) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getContextClassLoader)
                .filter(loader -> String.valueOf(loader).contains("\"deployment." + application + "\""))
                .distinct()
                .count();
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    private boolean heldWhileTheTransactionLasts(String name) throws Exception {
        transaction.begin();
        try (LockConnection connection = locks.getConnection()) {
            connection.acquire(name);
        }
        boolean held = isHeld(name);
        transaction.commit();
        return held;
    }

    private boolean isHeld(String name) {
        return !locks.holders(name).isEmpty();
    }
}
