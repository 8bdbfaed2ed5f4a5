// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.wildfly;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.holdfast.Setting;
import org.holdfast.connector.HoldfastResourceAdapter;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** What is in the feature pack, beside what it must agree with: settings, the adapter's class, the RAR, the page. */
class FeaturePackIT {

    private static final Path DOCS = Path.of("..", "..", "docs");
    private static final String ADAPTER =
            "packages/org.holdfast.adapter/pm/wildfly/module/modules/org/holdfast/adapter/main/";

    private static Document parse(InputSource source) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(source);
    }

    private static Document parse(String entry) throws Exception {
        try (ZipFile zip = new ZipFile(Archives.part("feature-pack.zip").toFile());
                InputStream in = zip.getInputStream(zip.getEntry(entry))) {
            return parse(new InputSource(in));
        }
    }

    private static List<String> texts(Document document, String path) throws Exception {
        NodeList nodes =
                (NodeList) XPathFactory.newInstance().newXPath().evaluate(path, document, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }

    /** The property of the adapter, by which the page names the setting. */
    private static List<String> ofThePage() throws Exception {
        try (Stream<String> lines = Files.lines(DOCS.resolve("settings.md"))) {
            return lines.filter(line -> line.startsWith("| `"))
                    .map(line -> line.substring(3, line.indexOf('`', 3)))
                    .toList();
        }
    }

    private static String expression(String property) {
        String variable = "HOLDFAST_" + property.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
        return "${holdfast." + property + ",env." + variable + ": }";
    }

    @Test
    void layer_hasAnExpressionForEachSettingOfThePage() throws Exception {
        Document layer = parse("layers/standalone/holdfast/layer-spec.xml");
        String feature = "//feature[@spec='subsystem.resource-adapters.resource-adapter.config-properties']/param";
        List<String> properties = texts(layer, feature + "[@name='config-properties']/@value");
        assertThat(properties)
                .containsExactlyElementsOf(ofThePage())
                .containsAll(Arrays.stream(Setting.values()).map(Setting::key).toList());
        assertThat(texts(layer, feature + "[@name='value']/@value"))
                .containsExactlyElementsOf(
                        properties.stream().map(FeaturePackIT::expression).toList());
    }

    @Test
    void expressions_haveTheNamesOfSettings() {
        for (Setting setting : Setting.values()) {
            assertThat(expression(setting.key()))
                    .isEqualTo("${" + setting.property() + ",env." + setting.environmentVariable() + ": }");
        }
    }

    @Test
    void descriptor_declaresEachSettingAsTheAdapterHasIt() throws Exception {
        Document descriptor = parse(ADAPTER + "descriptor/META-INF/ra.xml");
        String property = "/connector/resourceadapter/config-property/";
        assertThat(texts(descriptor, property + "config-property-name")).containsExactlyElementsOf(ofThePage());
        assertThat(texts(descriptor, property + "config-property-type"))
                .hasSameSizeAs(ofThePage())
                .containsOnly(String.class.getName());
        for (String name : ofThePage()) {
            String setter = "set" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
            assertThat(HoldfastResourceAdapter.class.getMethod(setter, String.class))
                    .isNotNull();
        }
        for (String type : texts(
                descriptor,
                "//*[contains(local-name(), 'class') or contains(local-name(), 'interface')]" + "[not(*)]")) {
            assertThat(Class.forName(type.strip())).isNotNull();
        }
    }

    /** What is in the RAR and not in a module would be missed only when it is used. */
    @Test
    void modules_haveTheJarsOfTheRar() throws Exception {
        List<String> artifacts = new ArrayList<>(texts(parse(ADAPTER + "module.xml"), "//artifact/@name"));
        artifacts.addAll(texts(parse(ADAPTER.replace("adapter", "api") + "module.xml"), "//artifact/@name"));
        try (ZipFile rar = new ZipFile(Archives.part("holdfast.rar").toFile())) {
            assertThat(rar.stream().map(ZipEntry::getName).filter(name -> name.endsWith(".jar")))
                    .map(name -> name.replaceFirst("-\\d.*", ""))
                    .filteredOn(name -> !name.equals("slf4j-api")) // the server has it
                    .containsExactlyInAnyOrderElementsOf(artifacts.stream()
                            .map(name -> name.replaceFirst(".*:(.*)}", "$1"))
                            .toList());
        }
    }

    /** This build runs what the page has, with what a build needs besides. */
    @Test
    void page_hasTheConfigurationOfThisBuild() throws Exception {
        String page = Files.readString(DOCS.resolve("servers/wildfly.md"));
        Matcher block = Pattern.compile("(?s)```xml feature-pack\\n(.*?)```").matcher(page);
        assertThat(block.find()).isTrue();
        Document described = parse(new InputSource(new StringReader(block.group(1))));
        Document built = parse(new InputSource(new StringReader(Files.readString(Path.of("pom.xml"))
                .replace("${version.wildfly}", System.getProperty("version.wildfly"))
                .replace("${project.version}", System.getProperty("project.version")))));
        for (String path : List.of("//feature-pack/location", "//layers/layer")) {
            assertThat(texts(described, path)).isNotEmpty().isEqualTo(texts(built, path));
        }
        assertThat(texts(described, "//goal"))
                .isEqualTo(texts(built, "//plugin[artifactId='wildfly-maven-plugin']//goal"));
    }
}
