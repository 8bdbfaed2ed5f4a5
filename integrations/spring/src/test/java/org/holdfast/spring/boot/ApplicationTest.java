// SPDX-License-Identifier: Apache-2.0
package org.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.shedlock.HoldfastLockProvider;
import org.holdfast.spring.HoldfastLockRegistry;
import org.holdfast.testkit.RedisServer;
import org.holdfast.testkit.RedisServers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.context.properties.ConfigurationPropertiesReportEndpoint;
import org.springframework.boot.actuate.env.EnvironmentEndpoint;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A Spring Boot application as it is started, on real nodes that die one after the other. */
@Timeout(120)
class ApplicationTest {

    @Configuration
    @EnableAutoConfiguration
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "10m")
    static class Shop {

        @Bean
        Jobs jobs() {
            return new Jobs();
        }

        @Bean
        Orders orders(LockRegistry<DistributedLock> locks) {
            return new Orders(locks);
        }

        @Bean
        Stock stock(LockConnectionFactory locks) {
            return new Stock(locks);
        }
    }

    @Configuration
    @EnableAutoConfiguration
    static class Plain {}

    private static ConfigurableApplicationContext start(Class<?> application, String... properties) {
        SpringApplication started = new SpringApplication(application);
        started.setWebApplicationType(WebApplicationType.NONE);
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.main.banner-mode=off",
                "--spring.jmx.enabled=true",
                "--management.endpoints.jmx.exposure.include=*",
                "--management.endpoint.health.show-details=always",
                "--holdfast.guard=OFF",
                "--holdfast.node-timeout-millis=2000"));
        arguments.addAll(List.of(properties));
        return started.run(arguments.toArray(String[]::new));
    }

    private static Status readiness(ConfigurableApplicationContext context) {
        return context.getBean(HealthEndpoint.class).healthForPath("readiness").getStatus();
    }

    /** The nodes are looked at once a second. */
    private static void awaitReadiness(ConfigurableApplicationContext context, Status status)
            throws InterruptedException {
        while (!readiness(context).equals(status)) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static IndicatedHealthDescriptor health(ConfigurableApplicationContext context) {
        CompositeHealthDescriptor all = (CompositeHealthDescriptor)
                context.getBean(HealthEndpoint.class).health();
        return (IndicatedHealthDescriptor) all.getComponents().get("holdfast");
    }

    private static void awaitVoters(ConfigurableApplicationContext context, int count) throws InterruptedException {
        while (Collections.frequency(health(context).getDetails().values(), "votes") != count) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static void awaitRuns(Jobs jobs, int more) throws InterruptedException {
        int before = jobs.runs();
        while (jobs.runs() < before + more) {
            TimeUnit.MILLISECONDS.sleep(20); // the scheduler of Spring has its own time
        }
    }

    @Test
    void application_whileNodesDie_goesOnWithAMajorityAndIsNotReadyWithoutOne() throws InterruptedException {
        try (RedisServers redis = RedisServers.start(3);
                ConfigurableApplicationContext context = start(
                        Shop.class,
                        "--holdfast.nodes=" + redis.uris(),
                        "--management.endpoint.health.probes.enabled=true",
                        "--management.endpoint.health.group.readiness.include=readinessState,holdfast")) {
            Orders orders = context.getBean(Orders.class);
            Jobs jobs = context.getBean(Jobs.class);
            assertThat(orders.ship("1")).isEqualTo("shipped 1");
            assertThat(context.getBean(Stock.class).sell("chair")).isOne();
            jobs.rebuild();
            awaitRuns(jobs, 2);
            awaitReadiness(context, Status.UP);

            redis.get(0).kill();
            assertThat(orders.ship("2")).isEqualTo("shipped 2");
            awaitRuns(jobs, 2);
            awaitVoters(context, 2);
            awaitReadiness(context, Status.UP);
            assertThat(health(context).getDetails())
                    .containsEntry(redis.get(1).uri(), "votes")
                    .hasEntrySatisfying(
                            redis.get(0).uri(), cause -> assertThat(cause).isNotEqualTo("votes"));

            redis.get(1).kill();
            awaitReadiness(context, Status.DOWN);
            assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(() -> orders.ship("3"));
            int runs = jobs.runs();
            assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(jobs::cleanUp);
            assertThat(jobs.runs()).isEqualTo(runs);

            redis.get(0).start();
            redis.get(1).start();
            awaitRuns(jobs, 2);
            assertThat(orders.ship("3")).isEqualTo("shipped 3");
            awaitReadiness(context, Status.UP);
        }
    }

    @Test
    void application_startedAgainInTheSameProcess_hasItsLocksAgain() throws InterruptedException {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"))) {
            for (int i = 0; i < 3; i++) {
                LockConnectionFactory factory;
                DistributedLock held;
                try (ConfigurableApplicationContext context = start(Plain.class, "--holdfast.nodes=" + redis.uri())) {
                    factory = context.getBean(LockConnectionFactory.class);
                    held = context.getBean(HoldfastLockRegistry.class).obtain("held");
                    assertThat(held.tryLock()).isTrue();
                }
                assertThatIllegalStateException().as("closed with the context").isThrownBy(factory::getConnection);
            }
        }
    }

    @Test
    void endpoints_showNoPassword() throws InterruptedException {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"), "--requirepass", "open-sesame");
                ConfigurableApplicationContext context = start(
                        Plain.class,
                        "--holdfast.nodes=" + redis.uri().replace("redis://", "redis://:open-sesame@"),
                        "--holdfast.password=open-sesame")) {
            awaitVoters(context, 1);
            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
            assertThat(health(context).getDetails().toString()).doesNotContain("sesame");
            assertThat(text(context.getBean(ConfigurationPropertiesReportEndpoint.class)
                            .configurationProperties()))
                    .doesNotContain("sesame");
            assertThat(text(context.getBean(EnvironmentEndpoint.class).environment(null).getPropertySources().stream()
                            .map(source -> source.getProperties().entrySet().stream()
                                    .map(entry -> entry.getKey() + "="
                                            + entry.getValue().getValue())
                                    .toList())
                            .toList()))
                    .contains("holdfast.password=******")
                    .doesNotContain("sesame");
        }
    }

    @Test
    void metrics_ofTheLockService_areRegistered() throws InterruptedException {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                ConfigurableApplicationContext context =
                        start(Plain.class, "--holdfast.nodes=" + redis.uri(), "--holdfast.key-prefix=metrics")) {
            DistributedLock lock = context.getBean(HoldfastLockRegistry.class).obtain("a");
            assertThat(lock.tryLock()).isTrue();
            assertThat(context.getBean(MeterRegistry.class)
                            .get("holdfast.held")
                            .tag("prefix", "metrics")
                            .gauge()
                            .value())
                    .isOne();
            lock.unlock();
        }
    }

    private static String text(Object shown) {
        if (shown instanceof ConfigurationPropertiesReportEndpoint.ConfigurationPropertiesDescriptor all) {
            return all.getContexts().values().stream()
                    .flatMap(context -> context.getBeans().entrySet().stream())
                    .map(bean -> bean.getKey()
                            + bean.getValue().getPrefix()
                            + bean.getValue().getProperties()
                            + bean.getValue().getInputs())
                    .toList()
                    .toString();
        }
        return shown.toString();
    }

    @Test
    void application_withoutNodes_hasNoBeansOfOurs() {
        try (ConfigurableApplicationContext context = start(Plain.class)) {
            assertThat(context.getBeansOfType(LockConnectionFactory.class)).isEmpty();
            assertThat(context.getBeansOfType(LockRegistry.class)).isEmpty();
            assertThat(context.getBeansOfType(LockProvider.class)).isEmpty();
        }
    }

    @Test
    void application_withAMisspeltSetting_doesNotStart() {
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> start(Plain.class, "--holdfast.nodes=redis://localhost", "--holdfast.ttl-milis=5")
                        .close())
                .withStackTraceContaining("holdfast.ttl-milis is no setting");
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> start(
                                Plain.class,
                                "--holdfast.nodes=redis://localhost",
                                "--holdfast.ttl-millis=9000",
                                "--holdfast.ttl.millis=5")
                        .close())
                .withStackTraceContaining("holdfast.ttl.millis is no setting");
    }

    /** Two factories, of which none is meant where one is asked for. */
    @Configuration
    @EnableAutoConfiguration
    static class TwoFactories {

        @Bean
        LockConnectionFactory north(@Value("${north}") String nodes) {
            return Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", "2000"));
        }

        @Bean
        LockConnectionFactory south(@Value("${south}") String nodes) {
            return Holdfast.connect(Map.of("nodes", nodes, "guard", "OFF", "nodeTimeoutMillis", "2000"));
        }
    }

    private static CompositeHealthDescriptor healthOfEach(ConfigurableApplicationContext context) {
        CompositeHealthDescriptor all = (CompositeHealthDescriptor)
                context.getBean(HealthEndpoint.class).health();
        return (CompositeHealthDescriptor) all.getComponents().get("holdfast");
    }

    @Test
    void health_ofTwoFactories_hasEachByTheNameOfItsBean() throws InterruptedException {
        try (RedisServer north = RedisServer.start(Path.of("target", "redis"));
                RedisServer south = RedisServer.start(Path.of("target", "redis"));
                ConfigurableApplicationContext context =
                        start(TwoFactories.class, "--north=" + north.uri(), "--south=" + south.uri())) {
            while (!healthOfEach(context).getStatus().equals(Status.UP)) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(healthOfEach(context).getComponents()).containsOnlyKeys("north", "south");
            south.kill();
            while (!healthOfEach(context).getStatus().equals(Status.DOWN)) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(healthOfEach(context).getComponents().get("north").getStatus())
                    .isEqualTo(Status.UP);
        }
    }

    /** A bean of the application is taken, and a factory of its own is not opened. */
    @Configuration
    @EnableAutoConfiguration
    static class Own {

        @Bean
        LockProvider own() {
            return configuration -> Optional.empty();
        }
    }

    @Test
    void beans_ofTheApplication_comeFirst() {
        try (RedisServer redis = RedisServer.start(Path.of("target", "redis"));
                ConfigurableApplicationContext context = start(Own.class, "--holdfast.nodes=" + redis.uri())) {
            assertThat(context.getBean(LockProvider.class)).isNotInstanceOf(HoldfastLockProvider.class);
            assertThat(context.getBean(LockRegistry.class)).isInstanceOf(HoldfastLockRegistry.class);
        }
    }
}
