// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;
import org.holdfast.CheckReport;
import org.holdfast.LockConnectionFactory;

@Readiness
@ApplicationScoped
class LockReadiness implements HealthCheck {

    private final LockConnectionFactory locks;

    @Inject
    LockReadiness(LockConnectionFactory locks) {
        this.locks = locks;
    }

    @Override
    public HealthCheckResponse call() {
        CheckReport report = locks.status(); // asks no node
        HealthCheckResponseBuilder response =
                HealthCheckResponse.named("holdfast").status(report.isReady());
        for (CheckReport.Node node : report.nodes()) {
            response.withData(node.address(), node.state() == CheckReport.State.VOTES ? "votes" : node.cause());
        }
        return response.build();
    }
}
