// SPDX-License-Identifier: Apache-2.0
package org.holdfast.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The way to a node of a Redis Cluster that the other nodes take. It can be cut for some of them, as a partition of the
 * network does: packets are lost, which the nodes allow for.
 *
 * <p>A packet begins with {@code RCmb}, its length, and further on its type and the id of the node that sent it: see
 * clusterMsg in cluster.h.
 */
final class BusLink implements AutoCloseable {

    /** The type of a packet by which a replica asks for votes. */
    static final int VOTE_REQUEST = 5;

    /** The type of a packet with a vote. */
    static final int VOTE = 6;

    private static final int LENGTH_AT = 4;
    private static final int TYPE_AT = 12;
    private static final int SENDER_AT = 40;
    private static final int ID_LENGTH = 40;
    private static final int NEVER = -1;
    private static final int NOW = -2;

    private final ServerSocket listener;
    private final int behind;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** By the node that connects: after a packet of which type nothing that it sends comes through any more. */
    private final Map<String, Integer> packets = new ConcurrentHashMap<>();

    /** The same of what it is answered. */
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();

    /** @param behind the port on which the node listens to others */
    BusLink(int behind) {
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.behind = behind;
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Lets nothing through any more on connections that this node has opened, nor answers to that. */
    void cut(String id) {
        cutPackets(id);
        cutAnswers(id);
    }

    /** Lets nothing through any more that this node sends on connections which it has opened. */
    void cutPackets(String id) {
        packets.put(id, NOW);
    }

    /** Lets nothing through any more that is answered on connections which this node has opened. */
    void cutAnswers(String id) {
        answers.put(id, NOW);
    }

    /** Cuts both as soon as that node has sent a packet of this type, which comes through. */
    void cutAfter(String id, int type) {
        packets.put(id, type);
        answers.put(id, type);
    }

    void mend() {
        packets.clear();
        answers.clear();
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "bus-link");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket node = listener.accept();
                open.add(node);
                start(() -> connect(node));
            } catch (IOException e) {
                // the test is over
            }
        }
    }

    private void connect(Socket node) {
        try (node;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), behind)) {
            open.add(server);
            DataInputStream in = new DataInputStream(node.getInputStream());
            byte[] packet = packet(in);
            String sender = new String(packet, SENDER_AT, ID_LENGTH, StandardCharsets.US_ASCII);
            start(() -> pass(sender, server, node));
            while (true) {
                forward(packets, sender, packet, server.getOutputStream());
                int type = ByteBuffer.wrap(packet).getShort(TYPE_AT);
                packets.computeIfPresent(sender, (id, cut) -> cut == type ? NOW : cut);
                answers.computeIfPresent(sender, (id, cut) -> cut == type ? NOW : cut);
                packet = packet(in);
            }
        } catch (IOException e) {
            open.remove(node); // one of them has gone
        }
    }

    private void pass(String sender, Socket from, Socket to) {
        try {
            DataInputStream in = new DataInputStream(from.getInputStream());
            while (true) {
                forward(answers, sender, packet(in), to.getOutputStream());
            }
        } catch (IOException e) {
            open.remove(from); // one of them has gone
        }
    }

    private static byte[] packet(DataInputStream in) throws IOException {
        byte[] head = new byte[2 * LENGTH_AT];
        in.readFully(head);
        byte[] packet = new byte[ByteBuffer.wrap(head).getInt(LENGTH_AT)];
        System.arraycopy(head, 0, packet, 0, head.length);
        in.readFully(packet, head.length, packet.length - head.length);
        return packet;
    }

    private static void forward(Map<String, Integer> cuts, String sender, byte[] packet, OutputStream out)
            throws IOException {
        if (cuts.getOrDefault(sender, NEVER) != NOW) {
            out.write(packet);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
