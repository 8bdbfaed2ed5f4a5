// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of the page: all in one folder of the class path, and only those with a known ending. */
final class PageFiles {

    private static final String FOLDER = "/org/holdfast/example/demo/page/";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*\\.(html|css|js|svg)");
    private static final Map<String, String> TYPES =
            Map.of("html", "text/html", "css", "text/css", "js", "text/javascript", "svg", "image/svg+xml");

    private PageFiles() {}

    /** A file of the page, with its media type. */
    record PageFile(String type, byte[] content) {}

    /** Returns the page itself. */
    static PageFile page(boolean readOnly) throws IOException {
        PageFile page = find("index.html").orElseThrow(() -> new IOException("there is no page in " + FOLDER));
        if (!readOnly) {
            return page;
        }
        String text = new String(page.content(), StandardCharsets.UTF_8);
        return new PageFile(
                page.type(), text.replace("<body>", "<body data-read-only>").getBytes(StandardCharsets.UTF_8));
    }

    static Optional<PageFile> find(String name) throws IOException {
        Matcher known = NAME.matcher(name);
        if (!known.matches()) {
            return Optional.empty();
        }
        try (InputStream file = PageFiles.class.getResourceAsStream(FOLDER + name)) {
            return file == null
                    ? Optional.empty()
                    : Optional.of(new PageFile(TYPES.get(known.group(1)) + "; charset=utf-8", file.readAllBytes()));
        }
    }
}
