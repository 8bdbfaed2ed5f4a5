// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.enterprise.concurrent.ManagedScheduledExecutorService;
import jakarta.resource.ResourceException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which executor of its server an adapter uses. */
@Timeout(20)
class ServerSchedulerTest extends SchedulingOnExecutor {

    private final StubNaming naming = StubNaming.start();

    @AfterEach
    void closeNaming() {
        naming.close();
    }

    /** Returns an executor as servers bind it. */
    private ManagedScheduledExecutorService managed() {
        return (ManagedScheduledExecutorService) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ManagedScheduledExecutorService.class},
                (proxy, method, args) -> method.invoke(executor, args));
    }

    private void assertHeartbeatOnTheExecutor(String scheduler) throws ResourceException {
        try (RunningAdapter running = new RunningAdapter("redis://127.0.0.1:1", scheduler)) {
            await().until(() -> executor.getCompletedTaskCount() > 0);
            assertThat(log.beginningWith("HF0")).isEmpty();
        }
    }

    @Test
    void adapter_withASchedulerOfItsOwn_renewsOnThat() throws Exception {
        naming.bind("java:app/mine", managed());
        assertHeartbeatOnTheExecutor("java:app/mine");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java:comp/DefaultManagedScheduledExecutorService",
                "java:jboss/ee/concurrency/scheduler/default",
                "concurrent/__defaultManagedScheduledExecutorService"
            })
    void adapter_withoutScheduler_renewsOnThatOfTheServer(String name) throws Exception {
        naming.bind(name, managed());
        assertHeartbeatOnTheExecutor(null);
    }

    @Test
    void adapter_onAServerWithoutScheduler_saysOnceThatTheTimerRenews() throws Exception {
        try (RunningAdapter running = new RunningAdapter("redis://127.0.0.1:1")) {
            LockManagedConnectionFactory other = running.newFactory();
            other.setKeyPrefix("other");
            other.createManagedConnection(null, null); // a lock service more
            running.managed();
            assertThat(log.beginningWith("HF0")).singleElement().asString().startsWith("HF0406");
        }
    }

    @Test
    void scheduler_thatIsNoManagedExecutor_isRefused() {
        naming.bind("java:app/mine", executor);
        List<String> violations = new ArrayList<>();
        assertThat(ContainerScheduling.findExecutor("java:app/mine", violations))
                .isNull();
        assertThat(violations).singleElement().asString().startsWith("HF0405").contains("'java:app/mine'");
    }
}
