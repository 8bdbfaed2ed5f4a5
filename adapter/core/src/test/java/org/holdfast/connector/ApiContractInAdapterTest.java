// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.IdentityHashMap;
import java.util.Map;
import org.holdfast.LockConnectionFactory;
import org.holdfast.contract.ApiContract;

/** The contract of the API with the resource adapter. */
class ApiContractInAdapterTest extends ApiContract {

    private final Map<LockConnectionFactory, RunningAdapter> adapters = new IdentityHashMap<>();

    @Override
    protected LockConnectionFactory connect(String uris) throws Exception {
        RunningAdapter running = new RunningAdapter(uris);
        LockConnectionFactory factory = (LockConnectionFactory) running.factory.createConnectionFactory();
        adapters.put(factory, running);
        return factory;
    }

    @Override
    protected void disconnect(LockConnectionFactory process) {
        adapters.remove(process).close();
    }
}
