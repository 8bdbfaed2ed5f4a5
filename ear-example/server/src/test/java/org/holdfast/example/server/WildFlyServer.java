// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.util.Arrays;
import java.util.List;
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
    public void grantAdapter(WebArchive application, String adapter) {
        application.setManifest(new StringAsset("Dependencies: deployment." + adapter + "\n"));
    }

    @Override
    public void prepare(String archive) {
        JBossCli.run(page(Page.block(archive), archive));
    }

    @Override
    public void forget(String archive) {
        JBossCli.run(page(Page.blockGone(archive), archive));
    }

    private static List<String> page(String block, String archive) {
        return new Page("wildfly.md")
                .lines(block).stream().map(line -> Page.named(line, archive)).toList();
    }
}
