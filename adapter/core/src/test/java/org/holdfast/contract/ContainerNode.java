// SPDX-License-Identifier: Apache-2.0
package org.holdfast.contract;

import static java.time.Duration.ofSeconds;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.holdfast.testkit.FreePort;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.lifecycle.Startables;
import redis.clients.jedis.Jedis;

/** A Redis container on a network of its own, of the image that the system property {@code redis.image} names. */
final class ContainerNode implements Node {

    static final Set<Fault> FAULTS = EnumSet.allOf(Fault.class);

    private final Network network = Network.newNetwork();
    private final Container container = new Container(FreePort.find(), network);
    private Fault fault;

    private ContainerNode() {}

    static List<ContainerNode> start(int count) {
        List<ContainerNode> nodes =
                IntStream.range(0, count).mapToObj(i -> new ContainerNode()).toList();
        try {
            Startables.deepStart(nodes.stream().map(node -> node.container)).join();
            return nodes;
        } catch (RuntimeException e) {
            nodes.forEach(ContainerNode::close);
            throw e;
        }
    }

    /** The engine would choose another port each time a container starts. */
    private static final class Container extends GenericContainer<Container> {

        private static final int REDIS_PORT = 6379;

        private final int port;

        Container(int port, Network network) {
            super(System.getProperty("redis.image", "redis:7"));
            this.port = port;
            addFixedExposedPort(port, REDIS_PORT);
            withNetwork(network);
            withCommand("redis-server", "--protected-mode", "no", "--save", "", "--appendonly", "no");
            waitingFor(Wait.forLogMessage(".*Ready to accept connections.*\\n", 1));
        }
    }

    @Override
    public String uri() {
        return "redis://" + container.getHost() + ":" + container.port;
    }

    @Override
    public void suffer(Fault inflicted) {
        DockerClient docker = container.getDockerClient();
        String id = container.getContainerId();
        fault = inflicted;
        switch (inflicted) {
            case KILLED -> docker.killContainerCmd(id).exec();
            case FROZEN -> docker.pauseContainerCmd(id).exec();
            case CUT_OFF ->
                docker.disconnectFromNetworkCmd()
                        .withNetworkId(network.getId())
                        .withContainerId(id)
                        .exec();
        }
    }

    @Override
    public void recover() {
        if (fault == null) {
            return;
        }
        DockerClient docker = container.getDockerClient();
        String id = container.getContainerId();
        switch (fault) {
            case KILLED -> docker.startContainerCmd(id).exec();
            case FROZEN -> docker.unpauseContainerCmd(id).exec();
            case CUT_OFF ->
                docker.connectToNetworkCmd()
                        .withNetworkId(network.getId())
                        .withContainerId(id)
                        .exec();
        }
        fault = null;
        await().atMost(ofSeconds(20)).ignoreExceptions().until(() -> ask(Jedis::ping), "PONG"::equals);
    }

    @Override
    public void close() {
        container.stop();
        network.close();
    }
}
