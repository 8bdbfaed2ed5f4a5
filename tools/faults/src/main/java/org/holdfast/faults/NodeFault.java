// SPDX-License-Identifier: Apache-2.0
package org.holdfast.faults;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** Something goes wrong at some of the nodes: at a minority, a majority or all. */
enum NodeFault implements Fault {

    /** Killed, and started without files. */
    RESTARTED_EMPTY {
        @Override
        Steps steps() {
            return new Steps(Node::kill, Node::forgetFiles);
        }
    },

    /** Killed, and started with what was written up to the last second. */
    RESTARTED_EVERYSEC {
        @Override
        Steps steps() {
            return new Steps(Node::kill, Node::restart);
        }
    },

    /** Killed, and started with all that was written. */
    RESTARTED_ALWAYS {
        @Override
        Steps steps() {
            return new Steps(
                    node -> {
                        node.command("CONFIG SET appendfsync always");
                        Threads.sleep(100); // some of it is to be written like that
                        node.kill();
                    },
                    Node::restart);
        }
    },

    /** Killed, and started with what was written some time ago. */
    RESTARTED_OLDER {
        @Override
        Steps steps() {
            return new Steps(Node::copyFiles, node -> {
                node.kill();
                node.restoreCopy();
            });
        }
    },

    FROZEN {
        @Override
        Steps steps() {
            return new Steps(Node::freeze, Node::thaw);
        }
    },

    FLUSHED {
        @Override
        Steps steps() {
            return new Steps(node -> node.command("FLUSHALL"), node -> {});
        }
    },

    SCRIPTS_FLUSHED {
        @Override
        Steps steps() {
            return Steps.again(node -> node.command("SCRIPT FLUSH"));
        }
    },

    CONNECTIONS_KILLED {
        @Override
        Steps steps() {
            return Steps.again(node -> {
                node.command("CLIENT KILL TYPE normal SKIPME yes");
                node.command("CLIENT KILL TYPE pubsub SKIPME yes");
            });
        }
    },

    CLIENTS_PAUSED {
        @Override
        Steps steps() {
            return Steps.again(node -> node.command("CLIENT PAUSE 60"));
        }
    },

    OUT_OF_MEMORY {
        @Override
        Steps steps() {
            return new Steps(node -> node.command("CONFIG SET maxmemory 1"), node -> {});
        }
    },

    PERMISSION_TAKEN {
        @Override
        Steps steps() {
            return new Steps(node -> node.command("ACL SETUSER default -eval -evalsha"), node -> {});
        }
    },

    REPLICA_ATTACHED {
        @Override
        Steps steps() {
            return new Steps(Node::attachReplica, Node::detachReplica);
        }
    },

    /** A replica that has not received the last writes takes the place of its primary. */
    REPLICA_PROMOTED {
        @Override
        Steps steps() {
            return new Steps(
                    node -> {
                        node.attachReplica();
                        node.promoteReplica();
                    },
                    Node::failOver);
        }
    },

    /** All nodes, one after the other, with time to come back in between. */
    ROLLING_RESTART {
        @Override
        Steps steps() {
            return new Steps(node -> {}, node -> {});
        }

        @Override
        public Course begin(Deployment deployment, Random random) {
            for (Node node : deployment.nodes()) {
                node.kill();
                node.restart();
                Threads.sleep(Errand.TTL.toMillis() + 1_000);
            }
            return new Course() {};
        }
    },

    /** One after the other. */
    ASLEEP {
        @Override
        Steps steps() {
            return Steps.again(node -> node.sleep(250));
        }
    };

    /**
     * What is done to a node.
     *
     * @param begin at first
     * @param end at last
     * @param again in between
     */
    record Steps(Consumer<Node> begin, Consumer<Node> end, Consumer<Node> again) {

        Steps(Consumer<Node> begin, Consumer<Node> end) {
            this(begin, end, node -> {});
        }

        static Steps again(Consumer<Node> again) {
            return new Steps(again, node -> {}, again);
        }
    }

    abstract Steps steps();

    @Override
    public Duration length() {
        return Duration.ofMillis(this == FROZEN ? 2_000 : 800);
    }

    @Override
    public Course begin(Deployment deployment, Random random) throws InterruptedException {
        List<Node> nodes = deployment.anyNodes(random);
        Steps steps = steps();
        nodes.forEach(steps.begin());
        return new Course() {
            @Override
            public void again() {
                nodes.forEach(steps.again());
            }

            @Override
            public void end() {
                nodes.forEach(steps.end());
            }
        };
    }
}
