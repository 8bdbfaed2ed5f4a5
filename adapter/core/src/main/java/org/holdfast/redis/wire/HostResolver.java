// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.holdfast.protocol.env.Time;
import org.holdfast.redis.address.NodeAddress;

/**
 * Finds the addresses of hosts, and waits no longer for a name server than for a node.
 *
 * <p>A lookup can take half a minute, and nothing ends it: so another thread does it. There is one lookup for a host at
 * a time; a caller that comes meanwhile waits for the same one.
 *
 * <p>An answer that a caller has received is not kept: by the next time the address may be another node's. (The JVM
 * keeps it for as long as it was configured to.) An answer that came too late is kept for a moment: else the answers of
 * a name server that is always slow would never be used. Safe for use by any number of threads.
 */
final class HostResolver {

    /** The address of a host is not known yet, which says nothing of the node that is there. */
    static final class OverdueException extends IOException {

        private static final long serialVersionUID = 1L;

        private OverdueException(String host) {
            super("the name server has not said in time where host " + host + " is");
        }
    }

    /** What asks the name server, for as long as that takes. */
    @FunctionalInterface
    interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    /** An IP address, as it stands in a URI: {@link NodeAddress} takes no other host that is all digits and dots. */
    private static final Pattern ADDRESS = Pattern.compile("\\[.*|[0-9.]+");

    /** A node that could not be reached is inspected again within a second. */
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Resolver resolver;
    private final Executor threads;
    private final Time time;
    private final ConcurrentMap<String, Lookup> lookups = new ConcurrentHashMap<>();

    /** @param threads gives a thread for as long as it takes */
    HostResolver(Resolver resolver, Executor threads, Time time) {
        this.resolver = resolver;
        this.threads = threads;
        this.time = time;
    }

    /** One question to the name server. Running it once more does nothing. */
    private final class Lookup {

        private final String host;
        private final FutureTask<InetAddress[]> task = new FutureTask<>(this::ask);
        private volatile boolean told;
        private volatile boolean overdue;
        private volatile long endedAt;

        Lookup(String host) {
            this.host = host;
        }

        private InetAddress[] ask() throws UnknownHostException {
            try {
                return resolver.resolve(host);
            } finally {
                endedAt = time.nanoTime();
            }
        }

        boolean isOver() {
            return task.isDone() && (told || time.nanoTime() - endedAt > KEPT_NANOS);
        }
    }

    /**
     * Returns the addresses of a host. Works on an interrupted thread and leaves the interrupt status as it was.
     *
     * @param deadline on the scale of {@link System#nanoTime()}
     * @throws OverdueException if the name server has not returned them by then
     * @throws LocalFailureException if this process could not ask
     * @throws IOException if there are none
     */
    InetAddress[] addresses(String host, long deadline) throws IOException {
        if (ADDRESS.matcher(host).matches()) {
            return resolver.resolve(host); // asks no name server
        }
        Lookup mine = new Lookup(host);
        Lookup lookup = lookups.compute(host, (same, last) -> last == null || last.isOver() ? mine : last);
        if (lookup == mine) {
            start(lookup);
        } else if (lookup.overdue) {
            lookup.task.run(); // in case that it still waits for a thread: a container may be short of them for long
            if (!lookup.task.isDone()) {
                throw new OverdueException(host); // a caller has waited for it already
            }
        }
        return await(lookup, deadline);
    }

    private void start(Lookup lookup) {
        try {
            threads.execute(lookup.task);
        } catch (RuntimeException | OutOfMemoryError e) { // no thread for it now: that must not cost the node its vote
            lookup.task.run();
        }
    }

    private static InetAddress[] await(Lookup lookup, long deadline) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    InetAddress[] found = lookup.task.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                    lookup.told = true;
                    return found;
                } catch (InterruptedException e) {
                    interrupted = true; // wait on, and restore the status later
                }
            }
        } catch (ExecutionException e) {
            lookup.told = true;
            if (e.getCause() instanceof OutOfMemoryError) {
                throw LocalFailureException.of(e.getCause());
            }
            NodeSocket.requireFiles(); // a lookup that had none says that there is no such host
            if (e.getCause() instanceof UnknownHostException
                    && lookup.host.equals(e.getCause().getMessage())) {
                // the JVM gives the reason once, and the name alone for as long as it remembers
                throw new IOException(lookup.host + ": unknown host, as the name server said a moment ago");
            }
            throw new IOException(Failures.describe(e), e.getCause());
        } catch (TimeoutException e) {
            lookup.overdue = true;
            throw new OverdueException(lookup.host);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
