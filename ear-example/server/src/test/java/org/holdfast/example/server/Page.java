// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.holdfast.testkit.Certificates;

/** A page of {@code docs/servers}: the tests do what it describes for operators. */
final class Page {

    /** A fence with up to two words: what is in it, and which it is. */
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\S*)(?: (\\S+))?\\n(.*?)^```$");

    private static final Pattern NODE = Pattern.compile("(rediss?)(\\\\?)://redis([123])(\\\\?):6379");

    private static final String TRUST_STORE = "/etc/holdfast/trust.p12";

    private final Path file;
    private final List<Block> blocks;
    private String alone = "alone";
    private UnaryOperator<String> changeOfAlone = UnaryOperator.identity();

    /** One fenced block. Without a name it goes by its first line. */
    private record Block(String id, String text) {

        static Block of(String name, String text) {
            return new Block(name == null ? text.lines().findFirst().orElse("") : name, text);
        }
    }

    Page(String name) {
        file = Path.of(System.getProperty("docs"), name);
        try {
            blocks = BLOCK.matcher(Files.readString(file))
                    .results()
                    .map(found -> Block.of(found.group(2), found.group(3)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts our nodes in the place of the ones of the page, and shorter TTLs, so that tests need not wait for long. */
    private static String adapt(String text) {
        String adapted = NODE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(address(found)))
                .replaceAll("\\b60000\\b", "5000")
                .replaceAll("\\b30000\\b", "5000");
        return adapted.contains(TRUST_STORE) ? secured(adapted) : adapted;
    }

    private static String address(MatchResult found) {
        boolean secure = found.group(1).equals("rediss");
        List<String> nodes = secure
                ? SecureNodes.current().addresses()
                : List.of(System.getProperty("holdfast.nodes")
                        .replace("redis://", "")
                        .split(","));
        String address = nodes.get(Integer.parseInt(found.group(3)) - 1);
        String colon = found.group(2) + ":";
        return found.group(1) + colon + "//" + address.replace(":", colon);
    }

    private static String secured(String text) {
        SecureNodes nodes = SecureNodes.current();
        return text.replace(TRUST_STORE, nodes.trustStore().toString())
                .replace("/etc/holdfast/client.p12", nodes.keyStore().toString())
                .replace("changeit", Certificates.PASSWORD);
    }

    /** Returns the names of all blocks, in the order of the page. */
    List<String> ids() {
        return blocks.stream().map(Block::id).toList();
    }

    /** Sets which block describes how to deploy the adapter alone. */
    void configureAlone(String block) {
        configureAlone(block, UnaryOperator.identity());
    }

    /** Does the same, and changes the text of that block. */
    void configureAlone(String block, UnaryOperator<String> change) {
        alone = block;
        changeOfAlone = change;
    }

    /** Returns which block describes how to deploy a file. */
    String block(String file) {
        return file.endsWith(".ear") ? "ear" : file.endsWith(".rar") ? alone : "application";
    }

    /** Returns which block describes how to take it away. */
    String blockGone(String file) {
        return block(file) + "-gone";
    }

    /** The application of the pages is called orders. */
    static String named(String text, String file) {
        return file.endsWith(".war") ? text.replaceAll("\\borders\\b", file.replace(".war", "")) : text;
    }

    /** Returns the lines of the block, without those that are empty. */
    List<String> lines(String id) {
        return text(id).lines().filter(line -> !line.isBlank()).toList();
    }

    String text(String id) {
        return blocks.stream()
                .filter(block -> block.id().equals(id))
                .findFirst()
                .map(block -> id.equals(alone) ? changeOfAlone.apply(block.text()) : block.text())
                .map(Page::adapt)
                .orElseThrow(() -> new IllegalStateException(file + " has no block '" + id + "'"));
    }
}
