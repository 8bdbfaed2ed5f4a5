// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.holdfast.cdi.Locked;
import org.jboss.weld.environment.se.Weld;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An application whose factories are in JNDI, and what its deployment reports. */
abstract class FactoriesInNaming extends Application {

    final Naming naming = Naming.start();
    final List<String> log = new CopyOnWriteArrayList<>();
    final Logger logger = Logger.getLogger(LockExtension.class.getPackageName());

    final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            log.add(entry.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void forget() {
        logger.removeHandler(handler);
        naming.close();
    }

    @ApplicationScoped
    public static class Work {
        @Locked("looked-up")
        public boolean work() {
            return isHeld("looked-up");
        }
    }

    @ApplicationScoped
    public static class NamedDemanding {
        @Locked(value = "named", atLeast = "PT2H", factory = "java:/eis/jobs")
        public void named() {}
    }

    @ApplicationScoped
    public static class Demanding {
        @Locked(value = "at-least", atLeast = "PT2H")
        public void atLeast() {}

        @Locked(value = "long", ttl = "PT3H")
        public void ttl() {}

        @Locked(value = "allowed", ttl = "PT60S", atLeast = "PT60S")
        public void allowed() {}
    }

    Work deployed(Class<?>... others) {
        container = new Weld()
                .disableDiscovery()
                .addExtension(new LockExtension())
                .addBeanClasses(Work.class)
                .addBeanClasses(others)
                .initialize();
        return container.select(Work.class).get();
    }
}
