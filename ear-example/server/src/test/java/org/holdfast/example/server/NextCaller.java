// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import org.holdfast.cdi.Locked;

/** Another caller's work, on a thread that has worked for others before. */
@ApplicationScoped
public class NextCaller {

    @Locked(value = "#{name}", waitTimeout = "PT0.3S")
    public void work(String name) {}

    @Locked(value = "#{name}", waitTimeout = "PT0.3S")
    @Transactional
    public void workInTransaction(String name) {}
}
