// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one lock service in one registry. A registry has but weak references to what its meters read, which is
 * this object: it is to be kept until {@link #remove()}. It keeps neither the registry nor a meter, which may know its
 * registry: an application may drop a registry while the service goes on.
 */
final class ServiceMeters {

    private final LockServiceBean bean;
    private final WeakReference<MeterRegistry> registry;
    private final Tags tags;
    private final List<Meter.Id> meters = new ArrayList<>();

    /** By attribute, what was counted last. */
    private final Map<String, Double> counted = new ConcurrentHashMap<>();

    ServiceMeters(LockServiceBean bean, WeakReference<MeterRegistry> registry) {
        this.bean = bean;
        this.registry = registry;
        this.tags = Tags.of("prefix", bean.text("KeyPrefix"), "id", bean.name().getKeyProperty("id"));
    }

    void register() {
        registerCounters();
        registerGauges();
        registerTimes();
        registerNodes();
    }

    private void registerCounters() {
        counter("holdfast.leases.acquired", "Acquired", "Leases taken from the nodes or another holder of the process");
        counter("holdfast.leases.reentered", "Reentered", "Leases taken once more by their holder");
        counter("holdfast.leases.handedoff", "HandedOff", "Leases handed off inside the process, without the nodes");
        counter("holdfast.leases.released", "Released", "Locks released on the nodes");
        counter("holdfast.leases.lost", "Lost", "Leases lost: other holders may have done the same work");
        counter("holdfast.renewals.extended", "Renewed", "Renewals that extended a lease");
        counter("holdfast.renewals.failed", "RenewalsFailed", "Renewals that did not extend a lease");
        counter("holdfast.requests.timedout", "TimedOut", "Requests that ended with their wait timeout");
        counter("holdfast.requests.unavailable", "Unavailable", "Requests that reached too few nodes");
    }

    private void registerGauges() {
        gauge("holdfast.held", "Held", "Names that this process holds now");
        gauge("holdfast.waiters", "Waiters", "Callers of this process that wait in line now");
        gauge("holdfast.releases.unconfirmed", "UnconfirmedReleases", "Releases that some node has not confirmed");
    }

    private void registerTimes() {
        time("holdfast.acquire.median", "AcquireMicrosMedian", "Median time to get a lease since the start");
        time("holdfast.acquire.p99", "AcquireMicros99", "Time within which 99 of 100 leases were got since the start");
        time("holdfast.acquire.max", "AcquireMicrosMax", "Longest time to get a lease since the start");
    }

    private void registerNodes() {
        Set<String> nodes = bean.nodeStates().keySet();
        for (String node : nodes) {
            Tags its = tags.and("node", node);
            gauge("holdfast.node.up", "1 if the node votes", its, own -> own.isIn("VOTES", node));
            gauge(
                    "holdfast.node.quarantined",
                    "1 if the node works, and grants nothing new until a time is over",
                    its,
                    own -> own.isIn("QUARANTINED", node));
        }
        gauge("holdfast.majority", "Nodes that must vote for a lock", tags, own -> nodes.size() / 2 + 1);
    }

    private double isIn(String state, String node) {
        String seen = bean.nodeStates().get(node);
        return seen == null ? Double.NaN : seen.equals(state) ? 1 : 0;
    }

    private void counter(String name, String attribute, String description) {
        add(FunctionCounter.builder(name, this, own -> own.count(attribute))
                .tags(tags)
                .description(description)::register);
    }

    /** A counter that stops being a number would be taken for one that began anew. */
    private double count(String attribute) {
        double now = bean.number(attribute);
        return Double.isNaN(now) ? counted.getOrDefault(attribute, 0.0) : remember(attribute, now);
    }

    private double remember(String attribute, double now) {
        counted.put(attribute, now);
        return now;
    }

    private void gauge(String name, String attribute, String description) {
        gauge(name, description, tags, own -> own.bean.number(attribute));
    }

    private void gauge(String name, String description, Tags its, ToDoubleFunction<ServiceMeters> value) {
        add(Gauge.builder(name, this, value).tags(its).description(description)::register);
    }

    private void time(String name, String attribute, String description) {
        add(TimeGauge.builder(name, this, TimeUnit.MICROSECONDS, own -> own.bean.number(attribute))
                .tags(tags)
                .description(description)::register);
    }

    private void add(Function<MeterRegistry, ? extends Meter> register) {
        MeterRegistry metrics = registry.get();
        if (metrics != null) {
            meters.add(register.apply(metrics).getId());
        }
    }

    void remove() {
        MeterRegistry metrics = registry.get();
        if (metrics != null) {
            meters.forEach(metrics::remove);
        }
    }
}
