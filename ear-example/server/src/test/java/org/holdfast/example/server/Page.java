// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of {@code docs/servers}: what it tells operators to do is what the tests do. */
final class Page {

    /** A fence with two words: what is in it, and which it is. */
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\S+) (\\S+)\\n(.*?)^```$");

    private static final Pattern NODE = Pattern.compile("redis([123])(\\\\?):6379");

    private final Path file;
    private final List<Block> blocks;

    /** One fenced block. */
    record Block(String language, String id, String text) {}

    Page(String name) {
        file = Path.of(System.getProperty("docs"), name);
        try {
            blocks = BLOCK.matcher(Files.readString(file))
                    .results()
                    .map(found -> new Block(found.group(1), found.group(2), adapt(found.group(3))))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Puts our nodes in the place of the ones of the page, and shorter TTLs, so that tests need not wait for long. */
    private static String adapt(String text) {
        List<String> nodes = Arrays.asList(System.getProperty("holdfast.nodes").split(","));
        return NODE.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(address(nodes, found)))
                .replaceAll("\\b60000\\b", "5000")
                .replaceAll("\\b30000\\b", "5000");
    }

    private static String address(List<String> nodes, MatchResult found) {
        String[] address = nodes.get(Integer.parseInt(found.group(1)) - 1)
                .replace("redis://", "")
                .split(":");
        return address[0] + found.group(2) + ":" + address[1];
    }

    /** Returns which block tells how to deploy a file. */
    static String block(String file) {
        return file.endsWith(".ear") ? "ear" : file.endsWith(".rar") ? "alone" : "application";
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
                .orElseThrow(() -> new IllegalStateException(file + " has no block '" + id + "'"))
                .text();
    }
}
