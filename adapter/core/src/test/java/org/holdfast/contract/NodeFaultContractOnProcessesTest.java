// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

/** The contract with nodes that fail, on redis-server processes. */
class NodeFaultContractOnProcessesTest extends NodeFaultContract {

    NodeFaultContractOnProcessesTest() {
        super(ProcessNode::start, ProcessNode.FAULTS);
    }
}
