// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import org.jboss.arquillian.container.spi.client.container.DeployableContainer;
import org.jboss.arquillian.core.spi.LoadableExtension;

/** Lets Arquillian use the servers that we start ourselves. WildFly has a container of its own. */
public final class ServerExtension implements LoadableExtension {

    @Override
    public void register(ExtensionBuilder builder) {
        if (ApplicationServer.current() instanceof StartedServer) {
            builder.service(DeployableContainer.class, ServerContainer.class);
        }
    }
}
