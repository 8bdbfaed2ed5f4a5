// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import org.holdfast.testkit.Certificates;
import org.holdfast.testkit.TlsFront;

/** The nodes over TLS: they show a certificate of an authority of the tests, and let in clients that it certifies. */
final class SecureNodes {

    private final List<TlsFront> fronts = new ArrayList<>();
    private final Path trustStore;
    private final Path keyStore;

    private SecureNodes(Path directory) throws IOException, GeneralSecurityException {
        Trees.delete(directory);
        Certificates authority = Certificates.in(directory);
        trustStore = authority.trustStore();
        keyStore = authority.issue("client", "dns:client");
        Path shown = authority.issue("nodes", "ip:127.0.0.1");
        for (String node : System.getProperty("holdfast.nodes").split(",")) {
            fronts.add(TlsFront.start(URI.create(node).getPort(), shown, trustStore));
        }
    }

    /** Returns those of this process; they are there from the first call to its end. */
    static SecureNodes current() {
        return Holder.CURRENT;
    }

    /** Returns host and port of each node. */
    List<String> addresses() {
        return fronts.stream().map(front -> "127.0.0.1:" + front.port()).toList();
    }

    /** Returns the store with the authority that clients of the nodes have to trust. */
    Path trustStore() {
        return trustStore;
    }

    /** Returns what clients of the nodes have to show. */
    Path keyStore() {
        return keyStore;
    }

    /** Returns how many nodes have let a client in. */
    long used() {
        return fronts.stream().filter(front -> front.admitted() > 0).count();
    }

    private static final class Holder {

        private static final SecureNodes CURRENT = start();

        private static SecureNodes start() {
            try {
                return new SecureNodes(Path.of("target", "tls").toAbsolutePath());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("no certificates could be made", e);
            }
        }
    }
}
