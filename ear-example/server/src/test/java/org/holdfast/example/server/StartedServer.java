// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.nio.file.Path;

/** A server that the tests start, deploy to and stop themselves. */
interface StartedServer extends ApplicationServer, AutoCloseable {

    /** Starts it in a directory of its own and returns when it takes deployments. */
    void start() throws IOException, InterruptedException;

    /**
     * Deploys and returns when it can be used. An archive that has the adapter in it, or is it, is configured with its
     * factories.
     *
     * @throws IOException with what the server reports if it refuses
     */
    void deploy(Path archive) throws IOException;

    /** Takes away what was deployed from that file, with its configuration. */
    void undeploy(Path archive) throws IOException;

    /** Stops it. Returns when it is gone. */
    @Override
    void close() throws IOException;
}
