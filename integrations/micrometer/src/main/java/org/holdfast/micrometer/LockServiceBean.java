// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.jspecify.annotations.Nullable;

/**
 * What JMX shows of one lock service, read by attribute names. A service may stop between two calls: what cannot be
 * read any more is missing, and is no exception.
 */
record LockServiceBean(MBeanServer server, ObjectName name) {

    /** Returns a number; not a number if there is none. */
    double number(String attribute) {
        return read(attribute) instanceof Number value ? value.doubleValue() : Double.NaN;
    }

    /** Returns a text; empty if there is none. */
    String text(String attribute) {
        return read(attribute) instanceof String value ? value : "";
    }

    /** Returns the state of each node by address without secrets; empty if that is not known. */
    Map<String, String> nodeStates() {
        Map<String, String> states = new TreeMap<>();
        if (read("NodeStates") instanceof TabularData table) {
            for (Object row : table.values()) {
                CompositeData node = (CompositeData) row;
                states.put((String) node.get("key"), (String) node.get("value"));
            }
        }
        return states;
    }

    private @Nullable Object read(String attribute) {
        try {
            return server.getAttribute(name, attribute);
        } catch (JMException | RuntimeException e) {
            return null; // it is stopped, or stops just now: its meters are about to be removed
        }
    }
}
