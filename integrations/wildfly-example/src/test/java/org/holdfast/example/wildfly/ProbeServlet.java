// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import jakarta.annotation.Resource;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Locale;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;

/** What a test asks inside the server. */
@WebServlet("/probe")
public class ProbeServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Resource(lookup = "java:/eis/holdfast")
    private transient LockConnectionFactory locks;

    @Resource
    private transient UserTransaction transaction;

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
            case "transaction" -> heldWhileTheTransactionLasts(argument);
            case "held" -> isHeld(argument);
            default -> throw new IllegalArgumentException(question);
        };
    }

    /** What the server has injected into the adapter. */
    private Object setting(String name) throws Exception {
        Object adapter = field(locks, "factory")
                .getClass()
                .getMethod("getResourceAdapter")
                .invoke(field(locks, "factory"));
        Method getter = adapter.getClass()
                .getMethod("get" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1));
        return getter.invoke(adapter);
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
