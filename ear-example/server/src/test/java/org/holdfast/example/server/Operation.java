// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What an operator does to a server while locks are held, and what becomes of them: the tables of the servers'
 * pages, row by row.
 *
 * @param command in the server's own language, or one of the words below
 * @param alone whether the RAR stands alone, and the application beside it
 * @param expected the state of the work under a lock of an open connection, of a transaction, and detached
 */
record Operation(String command, boolean alone, List<String> expected) {

    /** Takes away what was deployed, with the commands of the page. */
    static final String UNDEPLOY_EAR = "undeploy the EAR";

    static final String UNDEPLOY_APPLICATION = "undeploy the application";
    static final String UNDEPLOY_ADAPTER = "undeploy the adapter";

    /** Ends the server's process: {@code kill} lets it stop in its way. */
    static final String TERMINATE = "kill";

    static final String KILL = "kill -9";

    static final String HELD = "held";
    static final String STOPPED =
            "lost: the resource adapter was stopped, and its holder did not end within stopTimeoutMillis = 5000";
    static final String DESTROYED = "lost: the container destroyed its connection, and it was in use";

    private static final String DEFINITION =
            "/subsystem=resource-adapters/resource-adapter=holdfast/connection-definitions=holdfast";
    private static final String ADAPTER = "resources.resource-adapter-config.%s.property.";
    private static final String POOL = "resources.connector-connection-pool.locks.";

    /** Returns those of the server that the tests run on. */
    static Stream<Operation> ofTheServer() {
        return switch (System.getProperty("server.page")) {
            case "wildfly.md" -> ofWildFly();
            case "openliberty.md" -> ofLiberty().stream();
            case "tomee.md" -> ofTomEE().stream();
            case "glassfish.md" -> Stream.concat(ofPayara().stream(), ofGlassFish().stream());
            default -> ofPayara().stream(); // those of GlassFish leave an adapter behind on Payara 6: its page
        };
    }

    private static Operation inEar(String command, String connection, String transaction, String detached) {
        return new Operation(command, false, List.of(connection, transaction, detached));
    }

    private static Operation alone(String command, String connection, String transaction, String detached) {
        return new Operation(command, true, List.of(connection, transaction, detached));
    }

    private static Stream<Operation> ofWildFly() {
        return Stream.of(
                inEar(DEFINITION + ":flush-idle-connection-in-pool", HELD, HELD, HELD),
                inEar(DEFINITION + ":flush-invalid-connection-in-pool", HELD, HELD, HELD),
                inEar(DEFINITION + ":flush-gracefully-connection-in-pool", HELD, HELD, HELD),
                inEar(DEFINITION + ":flush-all-connection-in-pool", DESTROYED, DESTROYED, HELD));
    }

    /** Pools are the same in GlassFish. */
    private static List<Operation> ofPayara() {
        return List.of(
                inEar("ping-connection-pool locks", HELD, HELD, HELD),
                inEar("set " + POOL + "max-pool-size=70", HELD, HELD, HELD),
                inEar("set " + POOL + "idle-timeout-in-seconds=200", HELD, HELD, HELD),
                inEar("flush-connection-pool locks", DESTROYED, DESTROYED, HELD),
                inEar("set " + POOL + "property.ttlMillis=4000", DESTROYED, DESTROYED, HELD),
                inEar("set " + POOL + "property.keyPrefix=other", DESTROYED, DESTROYED, HELD),
                inEar("delete-connector-connection-pool --cascade=true locks", DESTROYED, DESTROYED, HELD));
    }

    private static List<Operation> ofGlassFish() {
        List<Operation> all = new ArrayList<>();
        String ofEar = ADAPTER.formatted("holdfast-shop#holdfast") + "waitTimeoutMillis=9000";
        all.add(inEar("set " + ofEar, DESTROYED, DESTROYED, STOPPED));
        all.add(alone(
                "set " + ADAPTER.formatted("holdfast") + "waitTimeoutMillis=9000", DESTROYED, DESTROYED, STOPPED));
        all.add(inEar("delete-resource-adapter-config holdfast-shop#holdfast", DESTROYED, DESTROYED, STOPPED));
        all.add(inEar("set resources.connector-resource.eis/holdfast.enabled=false", DESTROYED, DESTROYED, HELD));
        all.add(inEar("delete-connector-resource eis/holdfast", DESTROYED, DESTROYED, HELD));
        all.add(inEar("disable holdfast-shop", DESTROYED, DESTROYED, STOPPED));
        all.add(alone("disable working", HELD, HELD, HELD));
        all.add(alone("disable holdfast", DESTROYED, DESTROYED, STOPPED));
        all.add(alone(UNDEPLOY_APPLICATION, HELD, HELD, HELD));
        all.add(alone(UNDEPLOY_ADAPTER, DESTROYED, DESTROYED, STOPPED));
        all.add(inEar(UNDEPLOY_EAR, DESTROYED, DESTROYED, STOPPED));
        all.add(inEar("stop-domain", DESTROYED, DESTROYED, STOPPED));
        all.add(inEar(TERMINATE, DESTROYED, DESTROYED, STOPPED));
        all.add(inEar(KILL, HELD, HELD, HELD));
        return all;
    }

    /**
     * It stops an application, and the adapter after it, when the requests under way have ended: that takes what
     * they take.
     */
    private static List<Operation> ofLiberty() {
        return List.of(
                inEar("purgePoolContents normal", HELD, HELD, HELD),
                inEar("purgePoolContents immediate", HELD, HELD, HELD),
                inEar("purgePoolContents abort", HELD, HELD, HELD),
                inEar("maxPoolSize=\"64\" -> maxPoolSize=\"65\"", DESTROYED, DESTROYED, HELD),
                inEar("ttlMillis=\"5000\" -> ttlMillis=\"4500\"", DESTROYED, DESTROYED, HELD),
                inEar(
                        "<properties.holdfast-shop.holdfast/> -> <properties.holdfast-shop.holdfast keyPrefix=\"other\"/>",
                        DESTROYED,
                        DESTROYED,
                        HELD),
                alone("maxPoolSize=\"64\" -> maxPoolSize=\"65\"", DESTROYED, DESTROYED, HELD),
                alone("ttlMillis=\"5000\" -> ttlMillis=\"4500\"", DESTROYED, DESTROYED, HELD),
                inEar("server pause", HELD, HELD, HELD),
                alone(UNDEPLOY_APPLICATION, HELD, HELD, HELD),
                alone(UNDEPLOY_ADAPTER, DESTROYED, DESTROYED, HELD),
                inEar(UNDEPLOY_EAR, DESTROYED, DESTROYED, HELD),
                inEar("server stop", HELD, HELD, HELD),
                inEar(TERMINATE, HELD, HELD, HELD),
                inEar(KILL, HELD, HELD, HELD));
    }

    /** Its pool stays when the adapter goes, and so destroys no connection. */
    private static List<Operation> ofTomEE() {
        return List.of(
                inEar("holdfast.rarRA.waitTimeoutMillis = 9000", HELD, HELD, HELD),
                inEar("reload", HELD, HELD, HELD),
                alone(UNDEPLOY_APPLICATION, HELD, HELD, HELD),
                alone(UNDEPLOY_ADAPTER, STOPPED, STOPPED, STOPPED),
                inEar(UNDEPLOY_EAR, STOPPED, STOPPED, STOPPED),
                inEar(TERMINATE, STOPPED, STOPPED, STOPPED),
                inEar(KILL, HELD, HELD, HELD));
    }

    /** Names the test. */
    @Override
    public String toString() {
        return command + (alone ? ", the adapter stands alone" : "");
    }
}
