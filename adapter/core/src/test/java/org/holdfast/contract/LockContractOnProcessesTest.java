// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.util.List;
import java.util.Set;

/** The contract on redis-server processes. */
class LockContractOnProcessesTest extends LockContract {

    @Override
    List<? extends Node> startNodes(int count) {
        return ProcessNode.start(count);
    }

    @Override
    Set<Fault> faults() {
        return ProcessNode.FAULTS;
    }
}
