// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.enterprise.util.Nonbinding;
import jakarta.interceptor.InterceptorBinding;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method of a CDI bean or EJB under a lock: one caller at a time, in all processes together.
 *
 * <pre>{@code
 * @Locked("stock-#{sku}")
 * @Transactional
 * public void sell(String sku) { ... }
 * }</pre>
 *
 * <p>On a class it stands for each of its business methods; on a method it takes precedence. A lock that cannot be had in
 * time is a {@link org.holdfast.LockTimeoutException}; if too few nodes answer, a {@link
 * org.holdfast.QuorumUnavailableException}; an EJB container wraps either in an {@code EJBException}. The method does not run
 * then, nor if anything about its lock is unknown.
 *
 * <p><b>Transactions.</b> The interceptor has the priority {@code PLATFORM_BEFORE + 100} and so is outside {@link
 * jakarta.transaction.Transactional}: the transaction has completed when the lock is released. If a transaction is active
 * already when the method is called, as it always is with container-managed transactions of an EJB, the lock is released
 * after that transaction has completed; by a timeout that may be while the method still runs. If that transaction can only
 * roll back, the lock is released when the method returns. A transaction does not commit if the lock was lost before: the
 * {@code RollbackException} has the {@link org.holdfast.LeaseLostException} as its cause, where the server passes it on.
 * Without a transaction, a lock that was lost while the method ran is a {@code LeaseLostException} after it has returned.
 *
 * <p>A transaction that the method itself begins, with a {@code UserTransaction}, is not seen: it is as without one, and may
 * have committed when the exception comes. Take the same lock once more in it, through a connection, and it does not commit.
 *
 * <p><b>Where it is refused.</b> The application is not deployed if the annotation would have no effect: on private, static
 * and final methods, lifecycle callbacks and initializers; on interfaces and on methods that are overridden without it; and
 * on methods that return a {@code CompletionStage}, {@code Future} or {@code Flow.Publisher}, unless they are {@code
 * Asynchronous}: they return before their work is done.
 *
 * <p><b>Self-invocation.</b> A call of a method on {@code this} is not intercepted, as with every interceptor: no lock is
 * taken.
 *
 * <p><b>Once more.</b> A method that calls another one with the same lock, in the same transaction or on the same thread
 * without one, gets it at once. A transaction that suspends another is a holder of its own: what the suspended one holds is
 * not to be had.
 */
@InterceptorBinding
@Inherited
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {

    /**
     * The lock's name, with expressions of Jakarta Expression Language in {@code #{…}} over the method's parameters, by
     * name (compile with {@code -parameters}) or as {@code args[0]}.
     *
     * <p>Checked when the application is deployed. At the call, an expression that yields null, nothing, an array or an
     * object without a {@code toString} of its own is refused. A backslash before {@code #{} makes it plain text; {@code ${}
     * is refused.
     */
    @Nonbinding
    String value();

    /** How long to wait for the lock, as an ISO-8601 duration ({@code PT5S}), zero or more. Default: the factory's. */
    @Nonbinding
    String waitTimeout() default "";

    /** The TTL of the lease, as an ISO-8601 duration ({@code PT30S}), at least 100 ms. Default: the factory's. */
    @Nonbinding
    String ttl() default "";

    /** Makes an annotation in code, for extensions. */
    final class Literal extends AnnotationLiteral<Locked> implements Locked {

        private static final long serialVersionUID = 1L;

        private final String value;

        private Literal(String value) {
            this.value = value;
        }

        /** Returns the annotation with the given name template and the defaults. */
        public static Literal of(String value) {
            return new Literal(value);
        }

        @Override
        public String value() {
            return value;
        }

        @Override
        public String waitTimeout() {
            return "";
        }

        @Override
        public String ttl() {
            return "";
        }
    }
}
