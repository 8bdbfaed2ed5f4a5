// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;

/** Refuses the gauges of nodes, with an exception. */
final class ThrowingFilter implements MeterFilter {

    @Override
    public Meter.Id map(Meter.Id id) {
        if (id.getName().startsWith("holdfast.node.")) {
            throw new IllegalStateException("this filter throws");
        }
        return id;
    }
}
