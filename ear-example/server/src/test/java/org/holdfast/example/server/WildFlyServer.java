// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.Arrays;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** WildFly, which its own Arquillian container starts and deploys to. */
final class WildFlyServer implements ApplicationServer {

    @Override
    public long pid() {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().arguments().stream()
                        .flatMap(Arrays::stream)
                        .anyMatch("org.jboss.as.standalone"::equals))
                .findFirst()
                .orElseThrow()
                .pid();
    }

    @Override
    public String jndiName(String factory) {
        return "java:/eis/" + factory;
    }

    @Override
    public void grantAdapter(WebArchive application) {
        application.setManifest(new StringAsset("Dependencies: deployment.holdfast.rar\n"));
    }

    @Override
    public void configureAlone(String block) {
        JBossCli.run(new Page("wildfly.md").lines(block));
    }

    @Override
    public void forgetAlone() {
        JBossCli.run(new Page("wildfly.md").lines("alone-gone"));
    }
}
