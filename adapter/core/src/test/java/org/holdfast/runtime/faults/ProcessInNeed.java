// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.faults;

import static java.time.Duration.ofSeconds;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.holdfast.Holdfast;
import org.holdfast.Lease;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockRequest;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.runtime.management.LockServiceMXBean;
import org.holdfast.runtime.operations.Beans;

/**
 * The main program of {@link ShortageTest}: has a lease, takes all files that it may open or all memory for buffers,
 * and prints what becomes of the lease.
 */
final class ProcessInNeed {

    /** What it logs when it has all that it needs, for the last time. */
    static final String BEGINS = "from now on something is short";

    private static final Duration TTL = ofSeconds(3);

    /** What is given back is taken at once: one that was refused tries again after up to half a second. */
    private static final int MEMORY_TAKERS = 16;

    private ProcessInNeed() {}

    public static void main(String[] arguments) throws Exception {
        OwnClasses.loadAll();
        Map<String, String> settings = Map.of(
                "nodes", arguments[0],
                "guard", arguments[1],
                "ttlMillis", "4000",
                "maxLeaseTtlMillis", "4000",
                "nodeTimeoutMillis", "2000");
        try (LockConnectionFactory unused = Holdfast.connect(settings);
                LockConnectionFactory locks = Holdfast.connect(settings);
                LockConnection connection = locks.getConnection()) {
            Lease lease = connection.acquire(
                    LockRequest.of("held").ttl(TTL).waitTimeout(ofSeconds(20)).detached());
            lease.renew(); // what renews it is connected
            LockServiceMXBean bean = Beans.newest();
            connection.acquire("first").release();

            System.getLogger("test").log(System.Logger.Level.INFO, BEGINS); // it may need files
            List<Thread> takers = arguments[2].equals("files")
                    ? List.of(new Thread(ProcessInNeed::takeFiles, "takes all"))
                    : Stream.generate(() -> new Thread(ProcessInNeed::takeMemory, "takes all"))
                            .limit(MEMORY_TAKERS)
                            .toList();
            takers.forEach(taker -> taker.setDaemon(true)); // if this thread fails, the process ends all the same
            takers.forEach(Thread::start);
            Thread.sleep(3_000); // what listened while we waited has ended
            say("openConnections", attempt(connection));
            say("newConnections", attemptOnce(unused));
            Thread.sleep(TTL.multipliedBy(2).toMillis()); // renewals have to continue
            say("held", lease.isHeld());
            say("nodes", String.join(" | ", bean.getNodes().values()));
            say("renewed", bean.getRenewed() > 2);

            for (Thread taker : takers) {
                taker.interrupt();
                taker.join();
            }
            collect();
            Thread.sleep(200); // it is tried again after a pause
            say("afterwards", attempt(connection));
            say("heldAfterwards", lease.isHeld());
            lease.release();
        }
    }

    private static String attempt(LockConnection connection) throws InterruptedException {
        try {
            connection.acquire(LockRequest.of("another")).release();
            return "acquired";
        } catch (QuorumUnavailableException e) {
            return e.getMessage();
        }
    }

    /** Its callers have no connection yet. */
    private static String attemptOnce(LockConnectionFactory unused) throws InterruptedException {
        try (LockConnection connection = unused.getConnection()) {
            connection.acquire(LockRequest.of("new").waitTimeout(Duration.ZERO));
            return "acquired";
        } catch (QuorumUnavailableException e) {
            return e.getMessage();
        }
    }

    /** Until it is interrupted: others give files back now and then. */
    private static void takeFiles() {
        List<InputStream> files = new ArrayList<>();
        String failure = "";
        while (!Thread.currentThread().isInterrupted()) {
            try {
                files.add(new FileInputStream("/dev/null"));
            } catch (IOException e) {
                failure = e.getMessage();
                LockSupport.parkNanos(100_000);
            }
        }
        say("taken", files.size() + ": " + failure);
        for (InputStream file : files) {
            try {
                file.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Until it is interrupted. */
    private static void takeMemory() {
        List<ByteBuffer> buffers = new ArrayList<>();
        String failure = "";
        while (!Thread.currentThread().isInterrupted()) {
            try {
                buffers.add(ByteBuffer.allocateDirect(1_024));
            } catch (OutOfMemoryError e) { // which takes the JDK half a second
                failure = e.getMessage();
            }
        }
        say("taken", buffers.size() + ": " + failure);
    }

    /** By the only way that is open: the process collects nothing for the JDK, see {@link ShortageTest}. */
    private static void collect() throws JMException {
        ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
    }

    private static void say(String what, Object value) {
        System.out.println(what + "=" + value);
    }
}
