// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import org.holdfast.LockConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract of the API on a Redis Cluster as the only node. */
@Tag("thorough")
class ApiContractOnClusterTest extends ApiContract {

    private OneCluster cluster;

    @BeforeAll
    void startCluster() {
        cluster = new OneCluster();
    }

    @AfterAll
    void stopCluster() {
        cluster.close();
    }

    @Override
    protected LockConnectionFactory connect(String uris) {
        return cluster.connect();
    }

    @Override
    protected void disconnect(LockConnectionFactory process) {
        process.close();
    }

    // What fails single nodes is not run here: see ClusterTest. An overridden method without an annotation is no test.

    @Override
    void tryAcquire_whereTooFewNodesAnswer_isNoAnswer() {}

    @Override
    void nodeCount_ofNodesThatAreDownToo_isThatOfTheSetting() {}

    @Override
    void isLocked_whereOneNodeKnowsTheHolderAndOneIsSilent_isTrue() {}

    @Override
    void isLocked_whereTooFewNodesAnswer_isNoAnswer_butIsKnownToTheHoldersProcess() {}
}
