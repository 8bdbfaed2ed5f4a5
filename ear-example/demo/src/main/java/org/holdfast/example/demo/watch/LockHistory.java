// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import java.util.List;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoState.Job;
import org.holdfast.example.demo.state.DemoState.Lease;

/** What servers report of the two locks that the page shows: the one that orders need, and the job's. */
public final class LockHistory {

    private final String lock;
    private final LeaseHistory leases;
    private final JobHistory job;

    /** @param lock what orders need */
    public LockHistory(String lock, Clock clock) {
        this.lock = lock;
        this.leases = new LeaseHistory(clock);
        this.job = new JobHistory(clock);
    }

    void add(int server, long pid, ShopReport report) {
        leases.add(
                server,
                report.values().get("now"),
                report.leases().stream()
                        .filter(lease -> lease.lock().equals(lock))
                        .toList());
        job.add(server, pid, report);
    }

    void forget(int server) {
        leases.forget(server);
    }

    void free(long at) {
        leases.free(at);
    }

    public List<Lease> leases() {
        return leases.leases(System.nanoTime());
    }

    public Job job() {
        return job.job();
    }
}
