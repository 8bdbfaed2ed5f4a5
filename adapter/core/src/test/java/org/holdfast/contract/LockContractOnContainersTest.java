// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.DockerClientFactory;

/** The contract on containers. */
@EnabledIf("hasEngine")
class LockContractOnContainersTest extends LockContract {

    private static final System.Logger LOG = System.getLogger(LockContractOnContainersTest.class.getName());

    LockContractOnContainersTest() {
        super(ContainerNode::start);
    }

    /** Where an engine is required its absence is not looked for: the tests fail of it, and say why. */
    static boolean hasEngine() {
        if (Boolean.getBoolean("containers.required")
                || DockerClientFactory.instance().isDockerAvailable()) {
            return true;
        }
        LOG.log(System.Logger.Level.WARNING, "skipped, as no Docker engine answers: the lock contract on containers");
        return false;
    }
}
