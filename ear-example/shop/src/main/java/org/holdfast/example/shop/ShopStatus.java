// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What the live page shows of this server, one value a line. */
@RequestScoped
@Path("/status")
public class ShopStatus {

    /** Attributes of the lock service, and the words for them here. */
    private static final Map<String, String> ATTRIBUTES = new TreeMap<>(Map.of(
            "Held",
            "held",
            "Waiters",
            "waiting",
            "AcquireMicrosMedian",
            "medianMicros",
            "AcquireMicros99",
            "p99Micros"));

    @Inject
    private LockDiary diary;

    @Inject
    private OrderCount orders;

    @GET
    @Produces(MediaType.TEXT_PLAIN)
    public String status() throws JMException {
        List<String> lines = new ArrayList<>();
        lines.add("now " + System.nanoTime());
        lines.add("orders " + orders.answered());
        lines.addAll(lockService());
        lines.addAll(diary.lines());
        return String.join("\n", lines) + "\n";
    }

    /** There is one for each key prefix of each adapter; the shop has one. */
    private static List<String> lockService() throws JMException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        List<String> lines = new ArrayList<>();
        for (ObjectName service : beans.queryNames(new ObjectName("org.holdfast:type=LockService,*"), null)) {
            for (Map.Entry<String, String> attribute : ATTRIBUTES.entrySet()) {
                lines.add(attribute.getValue() + " " + beans.getAttribute(service, attribute.getKey()));
            }
        }
        return lines;
    }
}
