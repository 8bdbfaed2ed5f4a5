// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import org.holdfast.redis.address.FixedAddress;
import org.holdfast.redis.address.NodeAddress;
import org.holdfast.redis.address.UnixAddress;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.RedisInputStream;

/** One Jedis connection to one node. Not safe for use by several threads. */
public final class NodeConnection extends Connection {

    /** In the place of a reply that has not come, or not as a whole. */
    public static final Object INCOMPLETE = ReplyReader.INCOMPLETE;

    private final NodeSocket socket;
    private final OutputStream outgoing;
    private final int term;

    /** Made by the first reply, which comes while Jedis connects: before this object is initialized. */
    private @Nullable ReplyReader replies;

    private @Nullable String process;

    /** Set before this constructor's body runs, and null after it. */
    private @Nullable String passwordOfIntroduction;

    private NodeConnection(Sockets sockets, JedisClientConfig config, int term) {
        super(sockets, config);
        this.term = term;
        this.socket = Objects.requireNonNull(sockets.last, "Jedis has connected");
        this.outgoing = Objects.requireNonNull(sockets.outgoing, "Jedis has connected");
        this.passwordOfIntroduction = null;
    }

    /** Called by the constructor of the superclass. */
    @Override
    protected void initializeFromClientConfig(JedisClientConfig config) {
        passwordOfIntroduction = config.getPassword();
        super.initializeFromClientConfig(config);
    }

    /**
     * Connects and introduces itself. What is asked on the connection has the same deadline, until
     * {@link #boundEachAnswer()}.
     *
     * @param term see {@link #term()}
     * @param names finds the node's host
     * @param timeoutMillis for each answer after that
     * @param deadline on the scale of {@link System#nanoTime()}: for the lookup, the connection, TLS and the
     *     introduction
     * @throws redis.clients.jedis.exceptions.JedisException if the node cannot be reached or turns us away; with a
     *     {@link LocalFailureException} as its cause if the reason is in this process
     */
    static NodeConnection open(
            FixedAddress address,
            int term,
            HostResolver names,
            ConnectionSecurity access,
            Tls tls,
            int timeoutMillis,
            long deadline) {
        JedisClientConfig config = DefaultJedisClientConfig.builder()
                .connectionTimeoutMillis(timeoutMillis)
                .socketTimeoutMillis(timeoutMillis)
                .user(address.user())
                .password(access.password(address))
                .database(address.database())
                .clientName("holdfast")
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
                .autoNegotiateProtocol(false) // scripts return numbers, the same in every version of the protocol
                .build();
        Sockets sockets = new Sockets(address, names, tls, config, deadline);
        try {
            return new NodeConnection(sockets, config, term);
        } catch (OutOfMemoryError e) {
            sockets.close(); // Jedis does so only after exceptions
            throw new JedisConnectionException(LocalFailureException.of(e));
        } catch (RuntimeException e) {
            if (Failures.saysNothingOfNode(e)) { // nor was it said by a node, which might repeat the password
                throw e;
            }
            String message = Failures.describe(e);
            String explained =
                    Failures.isEnd(e) ? sockets.explainEnd(message) : NodeErrors.explainIntroduction(message);
            throw explained.equals(message) ? e : new JedisConnectionException(explained);
        }
    }

    /**
     * Returns what a node said of an error, without a password. No exception is made with one: recordings of the JVM
     * have the texts of all exceptions, also of those that are caught.
     */
    private String withoutPassword(String error) {
        String cut = NodeErrors.withoutArguments(error);
        return passwordOfIntroduction == null ? cut : cut.replace(passwordOfIntroduction, "****");
    }

    /** Gives Jedis our sockets, with TLS where it is wanted. */
    private static final class Sockets extends DefaultJedisSocketFactory {

        private final FixedAddress address;
        private final HostResolver names;
        private final Tls tls;
        private final JedisClientConfig config;
        private final long deadline;
        private @Nullable NodeSocket last;
        private @Nullable OutputStream outgoing;
        private boolean agreed;

        Sockets(FixedAddress address, HostResolver names, Tls tls, JedisClientConfig config, long deadline) {
            super(new HostAndPort(address.toString(), 0), config); // which it does not use: see createSocket
            this.address = address;
            this.names = names;
            this.tls = tls;
            this.config = config;
            this.deadline = deadline;
        }

        /** Returns why the connection ended, if it was there at all. */
        String explainEnd(String said) {
            if (last == null || address.tls() && !agreed) {
                return said;
            }
            return agreed ? Tls.explainEnd(said) : NodeErrors.explainEndWithoutTls(said);
        }

        void close() {
            if (last != null) {
                last.close();
            }
        }

        @Override
        public Socket createSocket() {
            try {
                Socket made = address instanceof NodeAddress node ? socket(node) : socket((UnixAddress) address);
                outgoing = made.getOutputStream();
                return made;
            } catch (IOException e) {
                throw new JedisConnectionException(e.getMessage(), e);
            }
        }

        private Socket socket(NodeAddress node) throws IOException {
            InetAddress[] found = names.addresses(node.host(), deadline);
            NodeSocket plain =
                    NodeSocket.connect(found, node.host(), node.port(), config.getSocketTimeoutMillis(), deadline);
            last = plain;
            if (!node.tls()) {
                return plain;
            }
            Socket secure = tls.layer(plain, node);
            agreed = true;
            return secure;
        }

        private Socket socket(UnixAddress file) throws IOException {
            last = FileSockets.connect(file.path(), config.getSocketTimeoutMillis(), deadline);
            return last;
        }
    }

    /** Returns to which of its voter's processes it leads, counted by this client; 0 at a fixed address. */
    public int term() {
        return term;
    }

    /**
     * Returns how the node sees this end, unless something is in between: a colon and the port, behind whatever
     * address; or, of a UNIX domain socket, its file and {@code :0}. Empty if that is not known.
     */
    public String ownEnd() {
        SocketAddress local = socket.getLocalSocketAddress();
        if (local instanceof InetSocketAddress inet) {
            return ":" + inet.getPort();
        }
        return socket.getRemoteSocketAddress() instanceof UnixDomainSocketAddress file ? file.getPath() + ":0" : "";
    }

    /** Returns why an answer on it does not count, as another process has its place by now; null if none has. */
    public @Nullable String whyReplaced() {
        return socket.isFileReplaced() ? "another process has taken its file by now" : null;
    }

    /**
     * Notes which process answers.
     *
     * @return whether it is the one that has answered on this connection before
     */
    public boolean answersAs(String runId) {
        boolean same = process == null || process.equals(runId);
        process = runId;
        return same;
    }

    /** Returns which process has answered on this connection; empty if it was not asked. */
    public String process() {
        return process == null ? "" : process;
    }

    /** Each answer has a timeout of its own from now on. */
    public void boundEachAnswer() {
        socket.answerDeadline().boundEachAnswer();
    }

    public void register(Selector selector, int node) {
        try {
            socket.channel().register(selector, SelectionKey.OP_READ, node);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isUnusable() {
        return isBroken() || socket.isUnusable();
    }

    /** Sends what Jedis has written. */
    public void push() {
        flush();
    }

    /** Returns what sends to the node at once, behind what was pushed. */
    public OutputStream outgoing() {
        return outgoing;
    }

    /** Nothing that is sent waits for the node from now on: see {@link #hasUnsent()}. */
    public void sendWithoutWaiting() {
        socket.getOutputStream().keepWhatIsNotTaken();
    }

    /** Returns whether something was sent that the node does not take yet: its selector is to say when it does. */
    public boolean hasUnsent() {
        return socket.getOutputStream().hasKept();
    }

    /** Returns whether that is so much that no more is to be sent. */
    public boolean isFull() {
        return socket.getOutputStream().isFull();
    }

    /** Returns a number that grows when the node takes some of that. */
    public long taken() {
        return socket.getOutputStream().taken();
    }

    /**
     * Sends of that what the node takes now.
     *
     * @return whether that was all
     */
    public boolean sendUnsent() {
        try {
            return socket.getOutputStream().sendKept();
        } catch (IOException e) {
            throw new JedisConnectionException(e);
        }
    }

    /** Has a selector say when the node takes more, or not. */
    public void awaitWritable(Selector selector, boolean awaited) {
        SelectionKey key = socket.channel().keyFor(selector);
        if (key != null && key.isValid()) {
            key.interestOps(awaited ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    /**
     * Returns the next reply, and waits for the rest of it if a part has come.
     *
     * @param patienceNanos for how long at the most; one timeout if that is shorter
     */
    public Object read(long patienceNanos) {
        socket.answerDeadline().limitPatience(patienceNanos);
        try {
            return readProtocolWithCheckingBroken();
        } finally {
            socket.answerDeadline().limitPatience(AnswerDeadline.UNLIMITED);
        }
    }

    /** Returns the next reply, or {@link #INCOMPLETE} if it has not come; waits for nothing, and loses nothing. */
    public Object poll() {
        socket.answerDeadline().setAwaited(false);
        try {
            return readProtocolWithCheckingBroken();
        } finally {
            socket.answerDeadline().setAwaited(true);
        }
    }

    /** Returns whether more than the reply that was read has come already: a selector does not know of that. */
    public boolean hasBuffered() {
        return replies != null && replies.hasMore();
    }

    @Override
    protected @Nullable Object protocolRead(RedisInputStream in, PushConsumerChain consumers) {
        if (socket == null) { // we are being introduced
            return NodeErrors.readIntroduction(replies(in)::read);
        }
        socket.answerDeadline().beginAnswer();
        return replies(in).read();
    }

    private ReplyReader replies(RedisInputStream in) {
        ReplyReader known = replies;
        if (known == null) { // there is one stream for as long as there is a connection
            known = new ReplyReader(in, this::withoutPassword);
            replies = known;
        }
        return known;
    }

    /** Closes without notice to the node. */
    public void abandon() {
        try {
            socket.close(); // first: TLS would send a closing alert, and wait until a node that hangs takes it
            forceDisconnect();
        } catch (IOException e) {
            // it is closed, which is all that was wanted
        }
    }
}
