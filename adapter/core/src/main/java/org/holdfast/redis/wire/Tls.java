// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.holdfast.redis.address.NodeAddress;
import org.jspecify.annotations.Nullable;

/**
 * Puts TLS around sockets, and checks that the certificate is trusted, in force, and the host's.
 *
 * <p>The stores are read for each connection, and opened when their bytes have changed: then nothing of what was agreed
 * before is used any more, not even a session that could be resumed. Safe for use by any number of threads.
 */
final class Tls {

    private static final String ALERT = "fatal alert";
    private static final String REFUSES = "it refuses TLS with us: ";

    private final ConnectionSecurity access;
    private volatile @Nullable Opened opened;

    Tls(ConnectionSecurity access) {
        this.access = access;
    }

    /** What came of files with this content. */
    private record Opened(byte @Nullable [] trust, byte @Nullable [] key, SSLContext context) {
        boolean isOf(byte @Nullable [] trustNow, byte @Nullable [] keyNow) {
            return Arrays.equals(trust, trustNow) && Arrays.equals(key, keyNow);
        }
    }

    /**
     * Agrees with a node on keys, by the deadline of the socket.
     *
     * @throws LocalFailureException if the stores cannot be used
     * @throws IOException saying what stands against it; a cause would say it in other words. The socket is closed
     */
    Socket layer(NodeSocket socket, NodeAddress address) throws IOException {
        try {
            SSLSocket secure =
                    (SSLSocket) context().getSocketFactory().createSocket(socket, address.host(), address.port(), true);
            if (access.verifyHostName()) {
                SSLParameters parameters = secure.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS");
                secure.setSSLParameters(parameters);
            }
            secure.startHandshake();
            requireInForce(secure.getSession().getPeerCertificates()[0]);
            return secure;
        } catch (SSLException | CertificateException | SocketTimeoutException e) {
            socket.close();
            throw new IOException(explain(e, address));
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * A certificate that is itself in the trust store is trusted for ever by Java, and so is a session that is resumed.
     */
    private static void requireInForce(Certificate certificate) throws CertificateException {
        if (certificate instanceof X509Certificate x509) {
            x509.checkValidity();
        }
    }

    private SSLContext context() throws LocalFailureException {
        try {
            return contextOfStores();
        } catch (IOException e) {
            throw LocalFailureException.of(e);
        }
    }

    private SSLContext contextOfStores() throws IOException {
        if (access.trustStore().isEmpty() && access.keyStore().isEmpty()) {
            return defaultContext();
        }
        byte[] trust = read(access.trustStore());
        byte[] key = read(access.keyStore());
        Opened known = opened;
        if (known == null || !known.isOf(trust, key)) {
            known = new Opened(trust, key, open(trust, key));
            opened = known;
        }
        return known.context();
    }

    private static byte @Nullable [] read(Optional<StoreFile> store) throws IOException {
        return store.isPresent() ? store.get().read() : null;
    }

    private static SSLContext defaultContext() throws IOException {
        try {
            return SSLContext.getDefault();
        } catch (GeneralSecurityException e) {
            throw new IOException("the JVM has no TLS: " + Failures.describe(e));
        }
    }

    private SSLContext open(byte @Nullable [] trust, byte @Nullable [] key) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    key == null ? null : access.keyStore().orElseThrow().keys(key),
                    trust == null ? null : access.trustStore().orElseThrow().trust(trust),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the JVM has no TLS: " + Failures.describe(e));
        }
    }

    /** Returns what went wrong, for the operator to correct it. */
    private static String explain(Exception failure, NodeAddress address) {
        Throwable innermost = Failures.innermost(failure);
        String said = Failures.describe(failure);
        if (innermost instanceof CertificateExpiredException || innermost instanceof CertificateNotYetValidException) {
            return "its certificate is not in force: " + said;
        }
        if (innermost instanceof CertificateException) {
            return "its certificate is not for the host " + address.host() + ": " + said;
        }
        if (innermost instanceof GeneralSecurityException) {
            return "its certificate is not trusted: " + said + ": set trustStore to what has signed it";
        }
        return said.contains(ALERT)
                ? REFUSES + said
                : "there is no TLS with it: " + said + ": if it has none, its address must begin with redis://";
    }

    /**
     * Returns why the first request failed once TLS was agreed: in TLS 1.3 a node refuses our certificate only then.
     */
    static String explainEnd(String said) {
        return said.contains(ALERT)
                ? REFUSES + said
                : "it closed the connection once TLS was agreed, perhaps for want of a certificate (keyStore): " + said;
    }
}
