// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.util.Map;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;

/** The contract of the API without a container. */
class ApiContractInJavaSeTest extends ApiContract {

    @Override
    protected LockConnectionFactory connect(String uris) {
        return Holdfast.connect(Map.of("nodes", uris, "guard", "OFF", "nodeTimeoutMillis", "2000"));
    }

    @Override
    protected void disconnect(LockConnectionFactory process) {
        process.close();
    }
}
