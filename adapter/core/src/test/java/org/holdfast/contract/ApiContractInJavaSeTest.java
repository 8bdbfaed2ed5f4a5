// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import java.time.Duration;
import org.holdfast.GuardMode;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockSettings;

/** The contract of the API without a container. */
class ApiContractInJavaSeTest extends ApiContract {

    @Override
    protected LockConnectionFactory connect(String uris) {
        return Holdfast.connect(LockSettings.of(uris).guard(GuardMode.OFF).nodeTimeout(Duration.ofSeconds(2)));
    }

    @Override
    protected void disconnect(LockConnectionFactory process) {
        process.close();
    }
}
