// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.time.Duration;
import java.util.Random;

/** A client stands still, or the whole machine does. */
enum ProcessFault implements Fault {

    /** For longer than a TTL: what it holds meanwhile, others get. */
    CLIENT_STOPPED {
        @Override
        public Course begin(Deployment deployment, Random random) {
            any(deployment, random).stop();
            return new Course() {};
        }
    },

    /** Again and again, for a moment each. */
    CLIENT_STUTTERS {
        @Override
        public Course begin(Deployment deployment, Random random) {
            ClientProcess client = any(deployment, random);
            return new Course() {
                @Override
                public void again() {
                    client.stop();
                    Threads.sleep(random.nextInt(300));
                    client.resume();
                }
            };
        }
    },

    /** Never the first one: it is to show what a long life does to a client. */
    CLIENT_KILLED {
        @Override
        public Course begin(Deployment deployment, Random random) throws InterruptedException {
            deployment.replaceClient(1 + random.nextInt(deployment.clients().size() - 1));
            return new Course() {};
        }
    },

    /** Clients and nodes, as a virtual machine that is suspended, while the clock goes on. */
    MACHINE_STOPPED {
        @Override
        public Course begin(Deployment deployment, Random random) {
            deployment.clients().forEach(ClientProcess::stop);
            deployment.nodes().forEach(Node::freeze);
            return new Course() {};
        }
    },

    GARBAGE_COLLECTED {
        @Override
        public Course begin(Deployment deployment, Random random) {
            deployment.clients().forEach(ClientProcess::collectGarbage);
            return new Course() {};
        }
    };

    @Override
    public Duration length() {
        return Errand.TTL.multipliedBy(4).dividedBy(3);
    }

    private static ClientProcess any(Deployment deployment, Random random) {
        return deployment.clients().get(random.nextInt(deployment.clients().size()));
    }
}
