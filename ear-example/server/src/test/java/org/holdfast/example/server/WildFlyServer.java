// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.jboss.dmr.ModelNode;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.ResourceAdapterArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** WildFly, which its own Arquillian container starts and deploys to. */
final class WildFlyServer implements ApplicationServer {

    private static final String NODES = "config-properties=nodes:add";

    private final Page page = new Page(System.getProperty("server.page"));

    /** Runs a block of the page and returns what it answers. */
    List<ModelNode> run(String block) {
        return JBossCli.run(page.lines(block));
    }

    /** Deploys the file as that block says. */
    void deploy(String block, Path archive) {
        JBossCli.run(page.lines(block).stream()
                .map(line -> line.replace(archive.getFileName().toString(), archive.toString()))
                .toList());
    }

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
    public Path logs() {
        return Path.of(System.getProperty("server.home"), "standalone", "log");
    }

    @Override
    public String jndiName(String factory) {
        return "java:/eis/" + factory;
    }

    @Override
    public void describe(ResourceAdapterArchive adapter) {
        adapter.addAsManifestResource(new StringAsset(page.text("ironjacamar")), "ironjacamar.xml");
    }

    @Override
    public void grantAdapter(WebArchive application) {
        application.setManifest(new StringAsset(page.text("manifest")));
    }

    @Override
    public void configureAlone(String block) {
        run(block);
    }

    @Override
    public void configureAlone(Map<String, String> settings) {
        JBossCli.run(page.lines("alone").stream()
                .flatMap(line -> line.contains(NODES)
                        ? settings.entrySet().stream()
                                .map(setting -> line.replaceFirst(
                                        NODES + ".*",
                                        Matcher.quoteReplacement("config-properties=" + setting.getKey()
                                                + ":add(value=\"" + setting.getValue() + "\")")))
                        : Stream.of(line))
                .toList());
    }

    @Override
    public String manage(String command) {
        return JBossCli.run(List.of(command)).toString();
    }

    @Override
    public void forgetAlone() {
        run("settings-gone");
    }
}
