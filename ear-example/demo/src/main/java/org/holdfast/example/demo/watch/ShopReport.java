// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.watch;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a shop reports of itself: {@code NAME VALUE}, {@code lease LOCK TOKEN FROM TO} and {@code skipped LOCK NUMBER
 * AT}, a line each.
 *
 * @param values by name
 */
record ShopReport(Map<String, Long> values, List<Lease> leases, List<Skip> skips) {

    /** @param to empty while it is held */
    record Lease(String lock, long token, long from, OptionalLong to) {}

    record Skip(String lock, long number, long at) {}

    static ShopReport parse(String text) {
        ShopReport report = new ShopReport(new HashMap<>(), new ArrayList<>(), new ArrayList<>());
        text.lines().map(line -> line.split(" ")).forEach(report::add);
        return report;
    }

    private void add(String[] words) {
        switch (words[0]) {
            case "lease" ->
                leases.add(new Lease(
                        decode(words[1]),
                        Long.parseLong(words[2]),
                        Long.parseLong(words[3]),
                        words[4].equals("-") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(words[4]))));
            case "skipped" -> skips.add(new Skip(decode(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3])));
            default -> values.put(words[0], Long.parseLong(words[1]));
        }
    }

    private static String decode(String lock) {
        return URLDecoder.decode(lock, StandardCharsets.UTF_8);
    }

    /**
     * Moves all moments to this process's clock. On Linux and macOS both are one: then the server's now lies between
     * those of the request and of the reply, and nothing moves.
     */
    ShopReport onClock(long sent, long received) {
        long now = values.get("now");
        long offset = sent <= now && now <= received ? 0 : sent + (received - sent) / 2 - now;
        Map<String, Long> moved = new HashMap<>(values);
        moved.put("now", now + offset);
        return new ShopReport(
                moved,
                leases.stream()
                        .map(lease -> new Lease(
                                lease.lock(),
                                lease.token(),
                                lease.from() + offset,
                                lease.to().isPresent()
                                        ? OptionalLong.of(lease.to().getAsLong() + offset)
                                        : OptionalLong.empty()))
                        .toList(),
                skips.stream()
                        .map(skip -> new Skip(skip.lock(), skip.number(), skip.at() + offset))
                        .toList());
    }
}
