// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.holdfast.example.demo.browser.Tab;

/** Pictures of the page for the documentation, in both schemes of colour. */
final class Pictures {

    static final int WIDTH = 1280;

    private static final int SCALE = 2;

    private final Tab tab;
    private final Path directory;

    /** @param directory to write them to */
    Pictures(Tab tab, Path directory) throws IOException, InterruptedException {
        this.tab = tab;
        this.directory = Files.createDirectories(directory);
        tab.resize(WIDTH, 900, SCALE);
    }

    /**
     * Takes two pictures of a part of the page.
     *
     * @param selector of the first and the last element that are on it
     */
    void take(String name, String selector) throws IOException, InterruptedException {
        for (String scheme : new String[] {"light", "dark"}) {
            tab.prefer(Map.of("prefers-color-scheme", scheme));
            tab.picture(directory.resolve(name + "-" + scheme + ".png"), selector);
        }
    }
}
