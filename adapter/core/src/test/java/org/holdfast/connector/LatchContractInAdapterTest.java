// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.IdentityHashMap;
import java.util.Map;
import org.holdfast.LockConnectionFactory;
import org.holdfast.contract.LatchContract;

/** The contract of latches with the resource adapter. */
class LatchContractInAdapterTest extends LatchContract {

    private final Map<LockConnectionFactory, RunningAdapter> adapters = new IdentityHashMap<>();

    @Override
    protected LockConnectionFactory connect(String uris) throws Exception {
        RunningAdapter running = new RunningAdapter(uris);
        running.factory.setWaitTimeoutMillis("300");
        LockConnectionFactory factory = (LockConnectionFactory) running.factory.createConnectionFactory();
        adapters.put(factory, running);
        return factory;
    }

    @Override
    protected void disconnect(LockConnectionFactory process) {
        adapters.get(process).close();
    }
}
