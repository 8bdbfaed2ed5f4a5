// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.operations;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.holdfast.runtime.management.LockServiceMXBean;

/** The lock services of this JVM, as JMX shows them. */
public final class Beans {

    private Beans() {}

    /** Returns the one that was started last. */
    public static LockServiceMXBean newest() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName newest = server.queryNames(new ObjectName("org.holdfast:type=LockService,*"), null).stream()
                .max(Comparator.comparingInt(name -> Integer.parseInt(name.getKeyProperty("id"))))
                .orElseThrow();
        return JMX.newMXBeanProxy(server, newest, LockServiceMXBean.class);
    }
}
