// SPDX-License-Identifier: Apache-2.0
package org.holdfast.microprofile;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;
import org.holdfast.CheckReport;
import org.holdfast.cdi.internal.LockExtension;

/**
 * Readiness: up while a majority of the nodes votes, for each connection factory that the application's {@code @Locked}
 * methods use. If there are none, for the factory that such a method would find.
 *
 * <p>A minority that is down or in quarantine is no reason to be down. The response has each node by its address,
 * without user and password, with {@code votes}, or why it does not. The check asks no node, because the lock service
 * looks at all of them about once a second; so it does not block, and costs nothing that can be measured.
 */
@Readiness
@Dependent
public final class LockReadiness implements HealthCheck {

    private static final String NAME = "holdfast";

    private final BeanManager beans;

    /**
     * Makes the check of one application.
     *
     * @param beans of the application
     */
    @Inject
    public LockReadiness(BeanManager beans) {
        this.beans = beans;
    }

    @Override
    public HealthCheckResponse call() {
        LockExtension locks = beans.getExtension(LockExtension.class);
        HealthCheckResponseBuilder response = HealthCheckResponse.named(NAME);
        List<Optional<String>> factories = locks.factories();
        boolean ready = true;
        for (Optional<String> factory : factories) {
            ready &= add(locks, factory, factories.size() == 1 ? "" : factory.orElse("default") + " ", response);
        }
        return response.status(ready).build();
    }

    private static boolean add(
            LockExtension locks, Optional<String> factory, String prefix, HealthCheckResponseBuilder response) {
        CheckReport report;
        try {
            report = locks.status(factory);
        } catch (RuntimeException e) { // no factory, or no adapter: then there is no lock either
            response.withData(prefix + "factory", String.valueOf(e.getMessage()));
            return false;
        }
        for (CheckReport.Node node : report.nodes()) {
            response.withData(
                    prefix + node.address(), node.state() == CheckReport.State.VOTES ? "votes" : node.cause());
        }
        return report.isReady();
    }
}
