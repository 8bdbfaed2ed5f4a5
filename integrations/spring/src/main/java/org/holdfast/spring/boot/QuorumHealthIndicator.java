// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.holdfast.CheckReport;
import org.holdfast.LockConnectionFactory;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether locks can be taken: up with a majority of the nodes, out of service while quarantines leave none, which end by
 * themselves, and else down.
 *
 * <p>Looks at each node, which takes two node timeouts a node at the most.
 */
final class QuorumHealthIndicator extends AbstractHealthIndicator {

    private final LockConnectionFactory factory;

    QuorumHealthIndicator(LockConnectionFactory factory) {
        super("the nodes cannot be checked");
        this.factory = factory;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        CheckReport report = factory.check();
        if (report.isReady()) {
            builder.up();
        } else if (report.isUsable()) {
            builder.outOfService();
        } else {
            builder.down();
        }
        report.nodes()
                .forEach(node -> builder.withDetail(node.address(), node.cause().isEmpty() ? "votes" : node.cause()));
        if (!report.clockFault().isEmpty()) {
            builder.withDetail("clock", report.clockFault());
        }
    }
}
