// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import org.junit.jupiter.api.condition.EnabledIf;

/** The contract with nodes that fail, on containers, whose network can be cut too. */
@EnabledIf("org.holdfast.contract.LockContractOnContainersTest#hasEngine")
class NodeFaultContractOnContainersTest extends NodeFaultContract {

    NodeFaultContractOnContainersTest() {
        super(ContainerNode::start, ContainerNode.FAULTS);
    }
}
