// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Of {@code docs/spring.md}. */
@Component
class Jobs {

    private final AtomicInteger runs = new AtomicInteger();

    @Scheduled(fixedDelay = 100)
    @SchedulerLock(name = "clean-up", lockAtMostFor = "10m")
    public void cleanUp() {
        runs.incrementAndGet();
    }

    @SchedulerLock(name = "rebuild", lockAtMostFor = "10m")
    public void rebuild() {
        for (int part = 0; part < 3; part++) {
            LockExtender.extendActiveLock(Duration.ofMinutes(10), Duration.ZERO); // throws if the lock is lost
            runs.incrementAndGet();
        }
    }

    public int runs() {
        return runs.get();
    }
}
