// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.enterprise.concurrent.ManagedExecutorService;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.cdi.LockScope;
import org.holdfast.cdi.Locked;
import org.holdfast.cdi.OnBusy;
import org.holdfast.cdi.OnLoss;

/** A CDI bean whose methods have all that the annotation can say. */
@ApplicationScoped
public class LockedBean {

    @Inject
    private Lease lease;

    @Inject
    private LockConnection connection;

    @Resource
    private ManagedExecutorService executor;

    @Locked("#{name}")
    @Transactional
    public long tokenInside(String name) {
        lease.requireHeld();
        return lease.token();
    }

    /** Takes a lock through the connection that is injected, in a transaction. */
    @Transactional
    public Lease byProgram(String name) throws InterruptedException {
        return connection.acquire(name);
    }

    @Locked("#{name}")
    @Retried
    @Transactional
    public void runAgain(String name, Work work) throws Exception {
        work.run();
    }

    @Locked("#{name}")
    public CompletionStage<String> later(String name, CompletionStage<String> work) {
        return work.thenApplyAsync(result -> result + " done", executor);
    }

    @Locked("#{name}")
    @jakarta.enterprise.concurrent.Asynchronous
    public CompletableFuture<String> asynchronous(String name, Work work) {
        return jakarta.enterprise.concurrent.Asynchronous.Result.complete(run(work));
    }

    private static String run(Work work) {
        try {
            work.run();
            return Thread.currentThread().getName();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Locked(value = "#{name}", onBusy = OnBusy.SKIP)
    @Transactional
    public boolean skip(String name) {
        return true;
    }

    /** Waits, if the configuration does not change it. */
    @Locked("#{name}")
    public boolean configured(String name) {
        return true;
    }

    @Locked(value = "#{name}", onBusy = OnBusy.SKIP, atLeast = "PT2S")
    @Transactional
    public boolean atLeast(String name) {
        return true;
    }

    @Locked(value = "#{name}", scope = LockScope.INVOCATION)
    public void forTheCall(String name, Work work) throws Exception {
        work.run();
    }

    @Locked(value = "#{name}", ttl = "PT0.3S", onLoss = OnLoss.CONTINUE, scope = LockScope.INVOCATION)
    @Transactional
    public void goOn(String name, Work work) throws Exception {
        work.run();
    }

    @Locked(value = "#{name}", ttl = "PT0.3S", scope = LockScope.INVOCATION)
    @Transactional
    public void forTheCallBriefly(String name, Work work) throws Exception {
        work.run();
    }
}
