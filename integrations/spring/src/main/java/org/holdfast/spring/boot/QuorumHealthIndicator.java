// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.holdfast.CheckReport;
import org.holdfast.LockConnectionFactory;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether locks can be taken: up with a majority of the nodes, out of service while quarantines leave none, which end
 * by themselves, and else down.
 *
 * <p>By the last look at each node, about a second ago: asks no node and does not block.
 */
final class QuorumHealthIndicator extends AbstractHealthIndicator {

    private final LockConnectionFactory factory;

    QuorumHealthIndicator(LockConnectionFactory factory) {
        super("the state of the nodes is not known");
        this.factory = factory;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        CheckReport report = factory.status();
        if (report.isReady()) {
            builder.up();
        } else if (report.isUsable()) {
            builder.outOfService();
        } else {
            builder.down();
        }
        report.nodes()
                .forEach(node -> builder.withDetail(node.address(), node.cause().isEmpty() ? "votes" : node.cause()));
    }
}
