// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.util.Map;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;

/** The lock service of a server, under the name that the pages give, as a client of JMX sees it. */
final class LockService {

    private static final String NAME = "org.holdfast:type=LockService,prefix=holdfast,id=1";

    private final MBeanServerConnection server;

    LockService(MBeanServerConnection server) {
        this.server = server;
    }

    int held() throws JMException, IOException {
        return (Integer) attribute("Held");
    }

    /** Returns the state of each node by its address. */
    Map<String, String> nodes() throws JMException, IOException {
        return ((TabularData) attribute("Nodes"))
                .values().stream()
                        .map(CompositeData.class::cast)
                        .collect(Collectors.toMap(row -> (String) row.get("key"), row -> (String) row.get("value")));
    }

    private Object attribute(String attribute) throws JMException, IOException {
        return server.getAttribute(new ObjectName(NAME), attribute);
    }
}
