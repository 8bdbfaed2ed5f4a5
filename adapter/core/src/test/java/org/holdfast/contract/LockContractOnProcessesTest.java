// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

/** The contract on redis-server processes. */
class LockContractOnProcessesTest extends LockContract {

    LockContractOnProcessesTest() {
        super(ProcessNode::start);
    }
}
