// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** What differs between application servers, as far as the tests see it. One class for each kind. */
interface ApplicationServer {

    /** Returns the one that the tests run on; the system property {@code server} names it. */
    static ApplicationServer current() {
        return Holder.CURRENT;
    }

    /** Returns the process id. */
    long pid();

    /** Returns where it keeps its logs, and nothing else. */
    Path logs();

    /** Returns what JNDI of the server calls the factory of that name. */
    String jndiName(String factory);

    /** Returns what it calls the factory of an adapter that stands alone. */
    default String jndiNameAlone(String factory) {
        return jndiName(factory);
    }

    /** Has that adapter bring its settings and factories, where the server reads them from a file in it. */
    default void describe(ResourceAdapterArchive adapter) {}

    /**
     * Lets an application see the classes of the adapter that stands alone, where asking for a factory is not enough.
     */
    default void grantAdapter(WebArchive application) {}

    /** Has the adapter that is deployed alone from now on configured as that block of the server's page says. */
    void configureAlone(String block) throws IOException;

    /** Has it configured as the page says first, with these settings in the place of its nodes. */
    void configureAlone(Map<String, String> settings) throws IOException;

    /**
     * Has the server do what an operator would.
     *
     * @param command in the server's own language
     * @return its answer
     */
    default String manage(String command) throws IOException {
        throw new IOException("there is nobody to tell this server: " + command);
    }

    /** Returns to what it was after an operation: started, and with all its ports open. Deployments stay. */
    default void repair() throws IOException, InterruptedException {}

    /**
     * Takes away what an operation has left of a deployment that cannot be undeployed as a whole any more.
     *
     * @param failure why it cannot; thrown again where nothing is known to be left
     */
    default void removeRest(String file, Exception failure) throws Exception {
        throw failure;
    }

    /** Returns to what the page says first, once that adapter is gone. */
    void forgetAlone() throws IOException;

    /** Returns what the server reports of a deployment that it refuses; and takes away what some servers keep of it. */
    static String refusal(Runnable deployment, Runnable undeployment) {
        String refusal = "it is deployed";
        try {
            deployment.run();
        } catch (Exception e) { // Arquillian throws what the server's container throws
            refusal = e.toString();
        }
        try {
            undeployment.run();
        } catch (Exception e) {
            // nothing was kept
        }
        return refusal;
    }

    /** Read when the first test asks: the properties are there by then. */
    final class Holder {

        private static final Map<String, Supplier<ApplicationServer>> KINDS = Map.of(
                "wildfly",
                WildFlyServer::new,
                "glassfish",
                GlassFish::new,
                "liberty",
                Liberty::new,
                "tomee",
                TomEE::new);

        private static final ApplicationServer CURRENT =
                KINDS.get(System.getProperty("server")).get();

        private Holder() {}
    }
}
