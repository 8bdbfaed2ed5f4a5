// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.holdfast.Lease;
import org.holdfast.cdi.Locked;
import org.holdfast.faults.Report;
import org.holdfast.faults.ResourceClient;
import org.holdfast.history.Kind;

/** Works in a transaction under a lock that others take through the adapter. */
@ApplicationScoped
public class ObservedBean {

    private static final String NAME = "stock";

    @Inject
    private Lease lease;

    @Locked(value = NAME, ttl = "PT1.5S", waitTimeout = "PT0.5S")
    @Transactional
    public void work(Consumer<Lease> work) {
        work.accept(lease);
    }

    /** Calls the bean, one call after the other. */
    static final class Caller implements Runnable {

        private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

        private final int number;
        private final ObservedBean bean;
        private final Consumer<Report> reports;
        private final ResourceClient resource;

        Caller(int number, ObservedBean bean, Consumer<Report> reports, ResourceClient resource) {
            this.number = number;
            this.bean = bean;
            this.reports = reports;
            this.resource = resource;
        }

        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                boolean[] granted = {false};
                long asked = System.nanoTime();
                try {
                    bean.work(lease -> {
                        granted[0] = true;
                        hold(lease, asked);
                    });
                } catch (RuntimeException e) {
                    // another caller has it for too long, no quorum, or the lease was lost
                }
                if (granted[0]) {
                    reports.accept(new Report.Closed(number, System.nanoTime()));
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        private void hold(Lease lease, long asked) {
            long granted = System.nanoTime();
            long until = granted + lease.remaining().toNanos();
            reports.accept(new Report.Granted(number, NAME, Kind.EXCLUSIVE, 1, lease.token(), asked, granted, until));
            resource.write(NAME, lease.token());
            LockSupport.parkNanos(PAUSE_NANOS);
            reports.accept(new Report.Ended(number, System.nanoTime()));
        }
    }
}
