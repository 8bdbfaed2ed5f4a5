// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Puts TLS around a socket, with the trust of the JVM and a check that the certificate is the host's. */
final class Tls {

    private Tls() {}

    static Socket layer(NodeSocket socket, NodeAddress address) throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        SSLSocket secure = (SSLSocket) factory.createSocket(socket, address.host(), address.port(), true);
        try {
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.startHandshake();
            return secure;
        } catch (IOException e) {
            secure.close();
            throw e;
        }
    }
}
