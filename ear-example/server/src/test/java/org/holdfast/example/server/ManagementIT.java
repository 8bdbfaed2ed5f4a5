// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What operators do to the pool, the adapter, the application and the server while requests work under locks:
 * none of these is free for others until its loss was reported to its holder, and not before its TTL has ended
 * either. The pages of the servers have the same list.
 */
@Tag("thorough")
@ExtendWith(ArquillianExtension.class)
@Timeout(300)
class ManagementIT {

    private static final String EAR = "ear";
    private static final String ADAPTER = "adapter";
    private static final String APPLICATION = "application";

    private static final Map<String, String> FILES =
            Map.of(EAR, "holdfast-shop.ear", ADAPTER, "holdfast.rar", APPLICATION, "working.war");

    /** The adapter's ttlMillis, less what looking takes. */
    private static final Duration MOST_OF_THE_TTL = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final List<String> WAYS = List.of("connection", "transaction", "detached");

    private final RealNodes nodes = new RealNodes();
    private final ApplicationServer server = ApplicationServer.current();

    /** The last state of each work, and when it was seen first. */
    private final Map<String, Seen> states = new LinkedHashMap<>();

    private final Map<String, Long> tokens = new LinkedHashMap<>();
    private final List<String> deployed = new ArrayList<>();

    /** What the operation takes away by itself. */
    private final Set<String> gone = ConcurrentHashMap.newKeySet();

    private CompletableFuture<Void> managed = CompletableFuture.completedFuture(null);
    private long begun;

    private record Seen(String state, long afterMillis) {

        boolean isHeld() {
            return state.equals(Operation.HELD);
        }

        @Override
        public String toString() {
            return "'" + state + "', seen first " + afterMillis + " ms after the operation began";
        }
    }

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive ear() throws IOException {
        return TestEar.withoutShop(References.add(WorkingApp.war(), "holdfast"));
    }

    @Deployment(name = ADAPTER, managed = false, testable = false)
    static ResourceAdapterArchive adapter() {
        ResourceAdapterArchive adapter =
                ShrinkWrap.createFromZipFile(ResourceAdapterArchive.class, new File(System.getProperty("server.rar")));
        ApplicationServer.current().describe(adapter);
        return adapter;
    }

    @Deployment(name = APPLICATION, managed = false, testable = false)
    static WebArchive application() {
        WebArchive application = WorkingApp.war();
        ApplicationServer.current().grantAdapter(application);
        return References.addAlone(application, "holdfast");
    }

    static Stream<Operation> operations() {
        return Operation.ofTheServer();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void operation_whileLocksAreHeld_freesNoneUnderItsHolder(Operation operation) throws Exception {
        deploy(operation.alone() ? List.of(ADAPTER, APPLICATION) : List.of(EAR));
        WorkingApp app = new WorkingApp(operation.alone() ? "/working/" : "/");
        Map<String, CompletableFuture<Void>> requests = new LinkedHashMap<>();
        try (AutoCloseable cleanUp = () -> cleanUp(app, requests.keySet())) { // what fails in it hides no failure
            for (String way : WAYS) {
                String lock = way + "-" + Math.abs(operation.hashCode());
                requests.put(lock, app.begin(lock, way));
                await().atMost(PATIENCE).until(() -> app.state(lock).equals(Operation.HELD));
                tokens.put(lock, nodes.token(lock));
            }
            ServerLife life = ServerLife.ofNow();
            managed = CompletableFuture.runAsync(() -> run(operation.command(), life));
            watch(operation, app, life);
            for (String lock : requests.keySet()) {
                app.end(lock);
            }
            managed.get();
            assertThat(states.values().stream().map(Seen::state))
                    .as(states::toString)
                    .containsExactlyElementsOf(operation.expected());
            for (Map.Entry<String, CompletableFuture<Void>> request : requests.entrySet()) {
                request.getValue().get();
                assertEnd(request.getKey(), app.state(request.getKey()), life);
            }
        }
    }

    private void cleanUp(WorkingApp app, Set<String> locks) throws Exception {
        for (String lock : locks) {
            app.end(lock);
        }
        clear();
    }

    private void deploy(List<String> names) {
        for (String name : names) {
            deployer.deploy(name);
            deployed.add(0, name);
        }
    }

    /**
     * Looks at the locks while their holders work: until the operation is done and most of a TTL is over, and
     * until all is reported.
     */
    private void watch(Operation operation, WorkingApp app, ServerLife life) throws IOException {
        begun = System.nanoTime();
        boolean over = false;
        while (!over) {
            long now = System.nanoTime() - begun;
            over = now > MOST_OF_THE_TTL.toNanos()
                    && (managed.isDone() && isExpected(operation) || now > PATIENCE.toNanos());
            for (String lock : tokens.keySet()) {
                // The order counts: a holder that has gone when its lock is looked at does not work
                boolean free = !nodes.isHeld(lock);
                Seen seen = see(lock, app.state(lock));
                boolean ended = life.isOver();
                boolean mayBeFree = ended || !seen.isHeld() && now > MOST_OF_THE_TTL.toNanos();
                assertThat(free && !mayBeFree)
                        .as(() -> lock + " is free; its holder's state is " + seen)
                        .isFalse();
                assertThat(nodes.isReleased(lock, tokens.get(lock)))
                        .as(() -> lock + " was released; its holder's state is " + seen)
                        .isFalse();
            }
        }
    }

    private Seen see(String lock, String state) {
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        return states.merge(
                lock, new Seen(state, millis), (known, now) -> known.state().equals(now.state()) ? known : now);
    }

    /** A server may act after it has answered, and the adapter gives holders time to end. */
    private boolean isExpected(Operation operation) {
        return states.values().stream().map(Seen::state).toList().equals(operation.expected());
    }

    private void assertEnd(String lock, String state, ServerLife life) {
        if (!life.isOver()) {
            assertThat(state.endsWith(", committed"))
                    .as("%s: %s", lock, state)
                    .isEqualTo(lock.startsWith("transaction") && state.startsWith(Operation.HELD));
        }
        await().atMost(MOST_OF_THE_TTL.multipliedBy(10)) // keys outlive their leases by the longest TTL
                .until(() -> nodes.isFree(lock));
    }

    private void run(String command, ServerLife life) {
        try {
            switch (command) {
                case Operation.UNDEPLOY_EAR -> undeploy(EAR);
                case Operation.UNDEPLOY_APPLICATION -> undeploy(APPLICATION);
                case Operation.UNDEPLOY_ADAPTER -> undeploy(ADAPTER);
                case Operation.TERMINATE, Operation.KILL -> life.end(command.equals(Operation.KILL));
                default -> server.manage(command);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Arquillian's deployer is for the test's own thread. */
    private void undeploy(String deployment) throws IOException {
        gone.add(deployment);
        ((StartedServer) server).undeploy(ServerContainer.file(FILES.get(deployment)));
    }

    /** Takes away what is there still. The operation may have done some of that, in another way. */
    private void clear() throws Exception {
        managed.handle((done, failure) -> done).get();
        server.repair();
        for (String deployment : deployed) {
            try {
                deployer.undeploy(deployment);
            } catch (Exception e) { // Arquillian throws what the server's container throws
                if (!gone.contains(deployment)) {
                    server.removeRest(FILES.get(deployment), e);
                }
            }
        }
    }
}
