// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.Extension;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.holdfast.Holdfast;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.testkit.RedisServers;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** An application in a CDI container, on real nodes; and another process that looks at its locks. */
@Timeout(60)
abstract class Application {

    static RedisServers redis;
    static LockConnectionFactory otherProcess;

    WeldContainer container;

    static LockConnectionFactory connect() {
        return Holdfast.connect(Map.of("nodes", redis.uris(), "guard", "OFF", "nodeTimeoutMillis", "2000"));
    }

    @BeforeAll
    static void start() {
        redis = RedisServers.start(3);
        otherProcess = connect();
        isHeld("warm-up"); // what is slow once is slow here
    }

    @AfterAll
    static void stop() {
        otherProcess.close();
        redis.close();
    }

    @AfterEach
    void shutDown() {
        if (container != null) {
            container.close();
        }
    }

    /** The application's own factory. */
    @ApplicationScoped
    static class Factory {
        @Produces
        @ApplicationScoped
        LockConnectionFactory locks() {
            return connect();
        }
    }

    <T> T deploy(Class<T> bean, Extension... extensions) {
        return deploy(bean, new Class<?>[0], extensions);
    }

    <T> T deploy(Class<T> bean, Class<?>[] others, Extension... extensions) {
        Weld weld = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Factory.class, bean)
                .addBeanClasses(others);
        for (Extension extension : extensions) {
            weld.addExtension(extension);
        }
        container = weld.initialize();
        return container.select(bean).get();
    }

    /** Reads, and takes nothing: several threads may ask at once, and none of them finds the probe of another. */
    static boolean isHeld(String lock) {
        try (LockConnection connection = otherProcess.getConnection()) {
            return connection.lock(lock).isLocked();
        }
    }

    /** Takes what it asks about for a moment, to learn what this request meets. For one thread at a time. */
    static boolean isHeld(LockRequest request) {
        return CompletableFuture.supplyAsync(() -> {
                    try (LockConnection connection = otherProcess.getConnection()) {
                        return connection
                                .tryAcquire(request.waitTimeout(Duration.ZERO))
                                .isEmpty();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .join();
    }
}
