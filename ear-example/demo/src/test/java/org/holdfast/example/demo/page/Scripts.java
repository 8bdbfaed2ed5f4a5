// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** What tests run in the page. */
final class Scripts {

    private Scripts() {}

    /** Returns a script of the test resources, without the comment at its head: what remains is one expression. */
    static String read(String name) throws IOException {
        try (InputStream file = Scripts.class.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).replaceAll("(?m)\\A(//.*\n)+", "");
        }
    }
}
