// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.web;

import com.sun.net.httpserver.Headers;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Which requests are answered. The server listens on the loopback address only, but a page of any site that is open in
 * a browser of this machine can send requests there: by a name that leads to this machine, from a form, or as the
 * address of an image.
 */
final class RequestRules {

    private static final Pattern OWN_HOST = Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d{1,5})?");

    private RequestRules() {}

    /** Returns why a request is refused; empty if it is not. */
    static Optional<String> refusal(String method, Headers headers) {
        Optional<String> host = only(headers, "Host");
        if (host.isEmpty() || !OWN_HOST.matcher(host.get()).matches()) {
            return Optional.of("the header Host must be localhost, 127.0.0.1 or [::1], was "
                    + headers.getOrDefault("Host", List.of()));
        }
        if (isOfAnotherSite(headers)) {
            return Optional.of("a page of another site must not read this one, nor take the places of its readers");
        }
        String own = "http://" + host.get();
        return !method.equals("POST")
                        || only(headers, "Origin").filter(own::equals).isPresent()
                ? Optional.empty()
                : Optional.of("the header Origin of an action must be " + own + ", was "
                        + headers.getOrDefault("Origin", List.of()));
    }

    /** Browsers say where a request comes from. A link to the page may stand anywhere. */
    private static boolean isOfAnotherSite(Headers headers) {
        boolean isForeign = headers.getOrDefault("Sec-Fetch-Site", List.of()).stream()
                .anyMatch(site -> !site.equals("same-origin") && !site.equals("none"));
        return isForeign
                && only(headers, "Sec-Fetch-Dest").filter("document"::equals).isEmpty();
    }

    private static Optional<String> only(Headers headers, String name) {
        List<String> values = headers.getOrDefault(name, List.of());
        return values.size() == 1 ? Optional.of(values.get(0)) : Optional.empty();
    }
}
