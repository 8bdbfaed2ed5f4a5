// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.DockerClientFactory;

/** The contract on containers, whose network can be cut too. */
@EnabledIf("hasEngine")
class LockContractOnContainersTest extends LockContract {

    private static final System.Logger LOG = System.getLogger(LockContractOnContainersTest.class.getName());

    /** Where an engine is required its absence is not looked for: the tests fail of it, and say why. */
    static boolean hasEngine() {
        if (Boolean.getBoolean("containers.required")
                || DockerClientFactory.instance().isDockerAvailable()) {
            return true;
        }
        LOG.log(System.Logger.Level.WARNING, "skipped, as no Docker engine answers: the lock contract on containers");
        return false;
    }

    @Override
    List<? extends Node> startNodes(int count) {
        return ContainerNode.start(count);
    }

    @Override
    Set<Fault> faults() {
        return ContainerNode.FAULTS;
    }
}
