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
import java.util.Arrays;
import org.holdfast.LockMode;
import org.holdfast.Release;

/**
 * Runs a method of a CDI bean or EJB under a lock: one caller at a time, in all processes together.
 *
 * <pre>{@code
 * @Locked("stock-#{sku}")
 * @Transactional
 * public void sell(String sku) { ... }
 * }</pre>
 *
 * <p>On a class or a stereotype it stands for each business method; on a method it takes precedence. A lock that cannot
 * be had in time is a {@link org.holdfast.LockTimeoutException}; if too few nodes answer, a {@link
 * org.holdfast.QuorumUnavailableException}; an EJB container wraps either in an {@code EJBException}. The method does
 * not run then, nor if anything about its lock is unknown.
 *
 * <p><b>Transactions.</b> The interceptor has the priority {@code PLATFORM_BEFORE + 110} and so is outside {@link
 * jakarta.transaction.Transactional} (+200): the transaction has completed when the lock is released. If a transaction
 * is active already when the method is called, as it always is with container-managed transactions of an EJB, the lock
 * is released after that transaction has completed; by a timeout that may be while the method still runs. If that
 * transaction can only roll back, the lock is released when the method returns. A transaction does not commit if the
 * lock was lost before its last check, right before the resources prepare: the {@code RollbackException} has the
 * {@link org.holdfast.LeaseLostException} as its cause, where the server passes it on. A transaction inside that
 * commits on a lock which is lost behind that check is a {@code LeaseLostException} after the method has returned,
 * though its work is committed. Without a transaction, a lock that was lost while the method ran is a {@code
 * LeaseLostException} after it has returned.
 *
 * <p>A transaction that the method itself begins, with a {@code UserTransaction}, is not seen: it is as without one,
 * and may have committed when the exception comes. Take the same lock once more in it, through a connection, and it
 * does not commit.
 *
 * <p><b>Retries.</b> Those of MicroProfile Fault Tolerance are inside ({@code PLATFORM_AFTER + 10}): one lock for all
 * attempts, and the transaction around them. To have each attempt take the lock and a transaction of its own, set
 * {@code mp.fault.tolerance.interceptor.priority} to less than {@code PLATFORM_BEFORE + 110}, which is 110. Inside, its
 * {@code @Asynchronous} together with {@code @Timeout} stops the deployment: the method would go on without the lock.
 *
 * <p><b>Other threads.</b> {@code @Asynchronous} of Jakarta Concurrency is outside ({@code PLATFORM_BEFORE + 5}), with
 * a
 * schedule and without: the thread that runs the method takes the lock, and keeps it until the work has ended. Where a
 * server puts it inside, the application is not deployed. {@code @Lock} of Jakarta Concurrency 3.2 is outside too
 * ({@code PLATFORM_BEFORE + 100}): the lock of this process is taken first, and released last.
 *
 * <p><b>Methods that return a {@link java.util.concurrent.CompletionStage}</b> or a {@code CompletableFuture} keep the
 * lock until it completes; it is the declared type that counts. No transaction keeps such a lock, and no call reenters
 * it. If it is lost the caller's stage completes with a {@code LeaseLostException}, at once; to cancel the caller's
 * stage cancels the method's, which does not stop what computes it. Those that return a
 * {@link java.util.concurrent.Flow.Publisher} keep it until their one subscriber has received the last item or cancels;
 * they must have a {@link #maxHold()}, for perhaps no subscriber ever comes. Asynchronous EJB methods keep the lock
 * until they have run.
 *
 * <p><b>Where it is refused.</b> The application is not deployed if the annotation would have no effect: on private,
 * static and final methods, those that only another package sees, lifecycle callbacks and initializers; on interfaces,
 * decorators, interceptors, and on methods that are overridden without it; by a stereotype on a method; on a class that
 * has private or static observers, producers or timers; on {@code doGet} and its like, which {@code HttpServlet} calls
 * on {@code this}, on parts that Jakarta Faces makes itself, on configurators of WebSocket, and on a class that is no
 * bean, as far as a servlet container shows it. Nor is it deployed if the
 * work goes on when the method has returned and no type shows until when: with a parameter {@code AsyncResponse},
 * {@code SseEventSink} or {@code Continuation}, or a result that is a {@code StreamingOutput}, a stream, a type of a
 * reactive library or another {@code Future}, unless the method is {@code Asynchronous}. Nor if one class is registered
 * as two beans with two locks, or if a name, a value or a combination of values is not valid.
 *
 * <p><b>What is no bean</b> and is intercepted all the same, as message-driven beans are, is locked as its class says.
 * What is wrong there is found at deployment where the server shows the class, else at the first call, which does not
 * run.
 *
 * <p><b>Self-invocation.</b> A call of a method on {@code this} is not intercepted, as with every interceptor, nor is
 * that of a decorator on its delegate: no lock is taken.
 *
 * <p><b>Once more.</b> A method that calls another one with the same lock, in the same transaction or on the same
 * thread without one, gets it at once. A transaction that suspends another is a holder of its own: what the suspended
 * one holds is not to be had.
 *
 * <p><b>Configuration.</b> Each member but the name may be set from outside, by MicroProfile Config where the server
 * has it, else by system properties: {@code org.example.Shop/sell/Locked/ttl} for a method, {@code
 * org.example.Shop/Locked/ttl} for a class, {@code Locked/ttl} for the application; the first of them that is set
 * counts, and then the annotation. The class is the bean's. It is read when the application is deployed. A {@code
 * waitTimeout} for a class or the application is for those of its methods that wait.
 */
@InterceptorBinding
@Inherited
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {

    /**
     * The lock's name, with expressions of Jakarta Expression Language in {@code #{…}} over the method's parameters: by
     * name (compile with {@code -parameters}), by {@link LockKey}, or as {@code args[0]}. Several names are locked all
     * or none, with one lease, in no order that could lead to a deadlock; names that come out equal count once.
     *
     * <p>Checked when the application is deployed. At the call, an expression that yields null, nothing, an array or a
     * value with the identity of an object in its text is refused: it would be another lock for each call. A backslash
     * before <code>#&#123;</code> makes it plain text; <code>$&#123;</code> is refused.
     */
    @Nonbinding
    String[] value();

    /** {@code EXCLUSIVE}, {@code READ} or {@code WRITE}. Several names are locked {@code EXCLUSIVE}. */
    @Nonbinding
    LockMode mode() default LockMode.EXCLUSIVE;

    /** Whether waiters are served in the order in which they came, in all processes. Not with several names. */
    @Nonbinding
    boolean fair() default false;

    /**
     * How long to wait for the lock, as an ISO-8601 duration ({@code PT5S}), zero or more. Default: the factory's. Only
     * with {@link OnBusy#WAIT}.
     */
    @Nonbinding
    String waitTimeout() default "";

    /**
     * How long nodes keep the lock of a server that has died, as an ISO-8601 duration ({@code PT30S}), at least 100 ms.
     * It does not end the lock: that is renewed while the method runs, however long that takes, unless there is a
     * {@link #maxHold()}. Default: the factory's.
     */
    @Nonbinding
    String ttl() default "";

    /**
     * How long the lock is held at the most, as an ISO-8601 duration, at least 100 ms; then it is lost, whatever the
     * method does. Default: as long as it takes.
     */
    @Nonbinding
    String maxHold() default "";

    /**
     * How long no other holder gets the lock, even if the method ends before, as an ISO-8601 duration, at least 100 ms
     * and at most the factory's longest TTL: for jobs that servers start at the same time, by clocks that differ by
     * less than this. No thread waits for that, and the server may stop meanwhile. Only with {@code EXCLUSIVE}.
     * Default: no longer than it takes.
     */
    @Nonbinding
    String atLeast() default "";

    /** What the lock is held for. */
    @Nonbinding
    LockScope scope() default LockScope.TRANSACTION;

    /**
     * What becomes of a call while another holder has the lock.
     */
    @Nonbinding
    OnBusy onBusy() default OnBusy.WAIT;

    /** What becomes of a call whose lock is lost. */
    @Nonbinding
    OnLoss onLoss() default OnLoss.ROLLBACK;

    /**
     * Whether the end of the method waits for the nodes. The end of a transaction always does. Default: as the
     * factory's setting {@code release} says.
     */
    @Nonbinding
    Release release() default Release.AS_CONFIGURED;

    /**
     * The JNDI name of the {@link org.holdfast.LockConnectionFactory}. Default: the application's bean of that type,
     * else what is bound to the first of {@code java:comp/env/eis/holdfast}, {@code java:app/eis/holdfast}, {@code
     * java:/eis/holdfast}, {@code eis/holdfast}, {@code openejb:Resource/holdfast.rar} and {@code
     * openejb:Resource/holdfast}.
     */
    @Nonbinding
    String factory() default "";

    /** Makes an annotation in code, for extensions. */
    final class Literal extends AnnotationLiteral<Locked> implements Locked {

        private static final long serialVersionUID = 1L;

        private final String[] value;

        private Literal(String... value) {
            this.value = value;
        }

        /** Returns the annotation with the given name templates and the defaults. */
        public static Literal of(String... value) {
            return new Literal(Arrays.copyOf(value, value.length));
        }

        @Override
        public String[] value() {
            return Arrays.copyOf(value, value.length);
        }

        @Override
        public LockMode mode() {
            return LockMode.EXCLUSIVE;
        }

        @Override
        public boolean fair() {
            return false;
        }

        @Override
        public String waitTimeout() {
            return "";
        }

        @Override
        public String ttl() {
            return "";
        }

        @Override
        public String maxHold() {
            return "";
        }

        @Override
        public String atLeast() {
            return "";
        }

        @Override
        public LockScope scope() {
            return LockScope.TRANSACTION;
        }

        @Override
        public OnBusy onBusy() {
            return OnBusy.WAIT;
        }

        @Override
        public OnLoss onLoss() {
            return OnLoss.ROLLBACK;
        }

        @Override
        public Release release() {
            return Release.AS_CONFIGURED;
        }

        @Override
        public String factory() {
            return "";
        }
    }
}
