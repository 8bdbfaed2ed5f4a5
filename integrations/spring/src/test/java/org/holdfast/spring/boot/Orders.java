// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.stereotype.Service;

/** Of {@code docs/spring.md}. */
@Service
class Orders {

    private final LockRegistry<DistributedLock> locks;

    Orders(LockRegistry<DistributedLock> locks) {
        this.locks = locks;
    }

    String ship(String order) throws InterruptedException {
        return locks.executeLocked("order-" + order, () -> "shipped " + order);
    }
}
