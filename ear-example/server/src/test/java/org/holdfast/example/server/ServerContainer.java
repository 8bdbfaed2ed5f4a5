// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jboss.arquillian.container.spi.client.container.ContainerConfiguration;
import org.jboss.arquillian.container.spi.client.container.DeployableContainer;
import org.jboss.arquillian.container.spi.client.container.DeploymentException;
import org.jboss.arquillian.container.spi.client.container.LifecycleException;
import org.jboss.arquillian.container.spi.client.protocol.ProtocolDescription;
import org.jboss.arquillian.container.spi.client.protocol.metadata.HTTPContext;
import org.jboss.arquillian.container.spi.client.protocol.metadata.ProtocolMetaData;
import org.jboss.arquillian.container.spi.client.protocol.metadata.Servlet;
import org.jboss.shrinkwrap.api.Archive;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.descriptor.api.Descriptor;

/** Arquillian's view of a server that we start ourselves. */
public final class ServerContainer implements DeployableContainer<ServerContainer.Configuration> {

    private static final Path DEPLOYMENTS = Path.of("target", "deployments");

    /** There is nothing to configure. */
    public static final class Configuration implements ContainerConfiguration {

        @Override
        public void validate() {}
    }

    /** Returns where an archive of that name is deployed from. */
    static Path file(String archive) {
        return DEPLOYMENTS.toAbsolutePath().resolve(archive);
    }

    private final StartedServer server = (StartedServer) ApplicationServer.current();

    @Override
    public Class<Configuration> getConfigurationClass() {
        return Configuration.class;
    }

    @Override
    public void setup(Configuration configuration) {}

    @Override
    public void start() throws LifecycleException {
        try {
            server.start();
        } catch (IOException e) {
            throw new LifecycleException("the server does not start", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LifecycleException("interrupted while the server started", e);
        }
    }

    @Override
    public void stop() throws LifecycleException {
        try {
            server.close();
        } catch (IOException e) {
            throw new LifecycleException("the server does not stop", e);
        }
    }

    @Override
    public ProtocolDescription getDefaultProtocol() {
        return new ProtocolDescription("Servlet 5.0");
    }

    @Override
    public ProtocolMetaData deploy(Archive<?> archive) throws DeploymentException {
        try {
            Path file = Files.createDirectories(DEPLOYMENTS.toAbsolutePath()).resolve(archive.getName());
            archive.as(ZipExporter.class).exportTo(file.toFile(), true);
            server.deploy(file);
        } catch (IOException e) {
            throw new DeploymentException(e.getMessage(), e);
        }
        HTTPContext http = new HTTPContext("localhost", Integer.getInteger("http.port"));
        String root = archive.contains("shop.war") ? "/tests" : "/";
        return new ProtocolMetaData().addContext(http.add(new Servlet("ArquillianServletRunnerEE9", root)));
    }

    @Override
    public void undeploy(Archive<?> archive) throws DeploymentException {
        try {
            server.undeploy(file(archive.getName()));
        } catch (IOException e) {
            throw new DeploymentException(e.getMessage(), e);
        }
    }

    @Override
    @Deprecated
    public void deploy(Descriptor descriptor) {
        throw new UnsupportedOperationException("no test deploys a descriptor");
    }

    @Override
    @Deprecated
    public void undeploy(Descriptor descriptor) {
        throw new UnsupportedOperationException("no test deploys a descriptor");
    }
}
