// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Something between clients and nodes goes wrong. */
enum NetworkFault implements Fault {
    RESETS(Wire.Weather.RESET),
    BLACK_HOLE(Wire.Weather.BLACK_HOLE),
    HALF_OPEN(Wire.Weather.HALF_OPEN),
    TRICKLE(Wire.Weather.TRICKLE),
    LATENCY(Wire.Weather.SLOW),

    /** The others see nothing of that. */
    CLIENT_CUT_OFF(Wire.Weather.BLACK_HOLE) {
        @Override
        public Course begin(Deployment deployment, Random random) {
            int client = random.nextInt(deployment.clients().size());
            deployment.majority(client, random).forEach(wire -> wire.weather(Wire.Weather.BLACK_HOLE));
            return new Course() {};
        }
    };

    private final Wire.Weather weather;

    NetworkFault(Wire.Weather weather) {
        this.weather = weather;
    }

    @Override
    public Duration length() {
        return Errand.TTL.multipliedBy(5).dividedBy(4); // leases end meanwhile
    }

    @Override
    public Course begin(Deployment deployment, Random random) {
        List<Node> nodes = deployment.anyNodes(random);
        nodes.forEach(node -> node.weather(weather));
        return new Course() {};
    }
}
