// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Holds where {@code holdfast.nodes} is set, as one text or as a list. */
final class OnNodesCondition extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean present = EnvironmentSettings.arePresent(context.getEnvironment());
        return new ConditionOutcome(present, "holdfast.nodes is " + (present ? "set" : "not set"));
    }
}
