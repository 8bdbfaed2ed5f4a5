// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** Speaks TLS on a port of the loopback address, and passes all data on to a server that need not know TLS. */
public final class TlsFront implements AutoCloseable {

    private final SSLServerSocket listener;
    private final int behind;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger admitted = new AtomicInteger();

    private TlsFront(SSLServerSocket listener, int behind) {
        this.listener = listener;
        this.behind = behind;
    }

    /**
     * Starts to listen.
     *
     * @param behind the port of the server behind
     * @param keyStore what is shown to clients
     * @param trustStore the authorities that must have certified the clients; null to let any client in
     */
    public static TlsFront start(int behind, Path keyStore, Path trustStore)
            throws IOException, GeneralSecurityException {
        return start(0, behind, keyStore, trustStore);
    }

    /** As {@link #start(int, Path, Path)}, on a port of choice. */
    public static TlsFront start(int port, int behind, Path keyStore, Path trustStore)
            throws IOException, GeneralSecurityException {
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(open(keyStore), Certificates.PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trustStore == null ? null : open(trustStore));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        SSLServerSocket listener = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(port, 50, InetAddress.getByName("127.0.0.1"));
        listener.setNeedClientAuth(trustStore != null);
        TlsFront front = new TlsFront(listener, behind);
        start(front::accept);
        return front;
    }

    private static KeyStore open(Path path) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(path)) {
            store.load(in, Certificates.PASSWORD.toCharArray());
        }
        return store;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "tls-front");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                SSLSocket client = (SSLSocket) listener.accept();
                open.add(client);
                start(() -> serve(client));
            } catch (IOException e) {
                // closed, or a client that went at once
            }
        }
    }

    private void serve(SSLSocket client) {
        try (client;
                Socket server = new Socket("127.0.0.1", behind)) {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            client.startHandshake();
            admitted.incrementAndGet();
            open.add(server);
            start(() -> pass(server, client));
            pass(client, server);
        } catch (IOException e) {
            // a client that was not let in, or the server is not there
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] bytes = new byte[8_192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length;
            while ((length = in.read(bytes)) >= 0) {
                out.write(bytes, 0, length);
            }
        } catch (IOException e) {
            // one of them has gone
        } finally {
            open.remove(from);
            open.remove(to);
        }
    }

    /** Returns how many clients were let in so far. */
    public int admitted() {
        return admitted.get();
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Listens no more and closes all connections. */
    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
