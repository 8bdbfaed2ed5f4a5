// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.page;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonReader;
import jakarta.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A state of the launcher as the page receives it, made by hand: the calm one, and others that differ from it. */
record Played(JsonObject json) {

    static final long TOKEN = 1_795_497_202_411_625L;

    /** Five nodes that vote, two servers, and nothing going on. */
    static Played calm() {
        try (JsonReader reader = Json.createReader(Played.class.getResourceAsStream("calm.json"))) {
            return new Played(reader.readObject());
        }
    }

    /** Returns the same state with another value at a JSON pointer, such as {@code /nodes/2/state}. */
    Played with(String pointer, Object value) {
        return new Played(Json.createPointer(pointer).replace(json, value(value)));
    }

    /** Returns the same state with one more value at a JSON pointer, such as {@code /events/-}. */
    Played add(String pointer, Object value) {
        return new Played(Json.createPointer(pointer).add(json, value(value)));
    }

    long now() {
        return json.getJsonNumber("now").longValue();
    }

    /** The launcher's state at another moment. */
    Played at(long now) {
        return with("/now", now);
    }

    Played event(long at, String kind, String level, String text) {
        return add("/events/-", Map.of("at", at, "kind", kind, "level", level, "text", text));
    }

    Played killed(int node) {
        return with("/nodes/" + node + "/process", "STOPPED")
                .with("/nodes/" + node + "/pid", null)
                .with("/nodes/" + node + "/vote", "NO")
                .with("/nodes/" + node + "/state", "UNREACHABLE")
                .with("/nodes/" + node + "/reason", "connection refused; asked again once a second")
                .with("/events", List.of())
                .event(now() - 4000, "NODE", "WARN", "node " + node + " was killed");
    }

    Played quarantined(int node, long millis) {
        return with("/nodes/" + node + "/vote", "NO")
                .with("/nodes/" + node + "/state", "QUARANTINE")
                .with("/nodes/" + node + "/reason", "in quarantine: the process is new")
                .with("/nodes/" + node + "/until", now() + millis);
    }

    Played held(int server, long token, long remaining, int waiters) {
        return with(
                        "/lock/holder",
                        Map.of(
                                "server", server,
                                "token", token,
                                "remainingMillis", remaining,
                                "ttlMillis", 5000,
                                "nodes", 5))
                .with("/lock/waiters", waiters)
                .with("/servers/" + server + "/held", 1)
                .with("/servers/" + server + "/waiting", waiters / 2)
                .with("/servers/" + (1 - server) + "/waiting", waiters - waiters / 2);
    }

    Played running(String run, int placed, int sold, int stock) {
        return run(run, "RUNNING", placed, sold, stock, 410);
    }

    Played done(String run, int sold, int stock, long millis) {
        return run(run, "DONE", 300, sold, stock, millis);
    }

    private Played run(String run, String state, int placed, int sold, int stock, long millis) {
        String at = "/runs/" + run + "/";
        return with(at + "state", state)
                .with(at + "placed", placed)
                .with(at + "sold", sold)
                .with(at + "soldOut", placed - sold)
                .with(at + "stock", stock)
                .with(at + "oversold", state.equals("DONE") ? sold - (100 - stock) : null)
                .with(at + "millis", millis);
    }

    /** Leases one after another, the last of which ended {@code ago} ms before now; always the same. */
    Played leases(int count, long ago) {
        Random random = new Random(7);
        double to = now() - ago - 8.0 * count;
        int server = 0;
        JsonArrayBuilder leases = Json.createArrayBuilder();
        for (int i = 0; i < count; i++) {
            server = random.nextInt(4) == 0 ? 1 - server : server;
            double from = to + 0.4 + random.nextDouble() * 1.2;
            to = from + 3 + random.nextDouble() * 6;
            leases.add(lease(server, TOKEN + (long) ((to - now()) * 1000), from, to));
        }
        return with("/leases", leases.build());
    }

    static JsonObject lease(int server, long token, double from, Double to) {
        JsonObjectBuilder lease = Json.createObjectBuilder()
                .add("server", server)
                .add("token", token)
                .add("from", Math.round(from * 1000) / 1000.0);
        return (to == null ? lease.addNull("to") : lease.add("to", Math.round(to * 1000) / 1000.0)).build();
    }

    Played job(int runs) {
        JsonArrayBuilder all = Json.createArrayBuilder();
        for (int i = 0; i < runs; i++) {
            int server = i * 5 % 3 % 2;
            all.add(Json.createObjectBuilder()
                    .add("server", server)
                    .add("at", now() - 4200 - 10_000L * (runs - 1 - i))
                    .add("token", TOKEN - 10_000_000L * (runs - i))
                    .add("skippedBy", Json.createArrayBuilder().add(1 - server)));
        }
        return with("/job/runs", all.build());
    }

    Played staleWriter(String state, String... steps) {
        JsonArrayBuilder told = Json.createArrayBuilder();
        for (int i = 0; i < steps.length; i++) {
            told.add(Json.createObjectBuilder()
                    .add("at", now() - 1500L * (steps.length - i))
                    .add("text", steps[i]));
        }
        return with("/staleWriter/state", state)
                .with("/staleWriter/step", steps.length == 0 ? "" : steps[steps.length - 1])
                .add("/staleWriter/steps", told.build())
                .with("/staleWriter/staleToken", TOKEN - 8_114_201)
                .with("/staleWriter/rowToken", TOKEN - 2_049_377);
    }

    /** After both runs and a stale writer, with a node killed and one in quarantine. */
    static Played compared() {
        return calm().killed(1)
                .quarantined(3, 8400)
                .done("locked", 100, 0, 1840)
                .done("unlocked", 174, 0, 760)
                .leases(300, 900)
                .job(8)
                .staleWriter(
                        "REFUSED",
                        "WildFly A takes the lock and is frozen.",
                        "The lease of WildFly A ends on the nodes.",
                        "WildFly B takes the lock and writes the row.",
                        "WildFly A goes on, and does not know that its lease has ended.",
                        "The row refuses its token: nothing is written.")
                .event(62000, "LOAD", "INFO", "300 orders under the lock: 100 sold, none oversold")
                .event(66000, "LOAD", "BAD", "300 orders without the lock: 74 units oversold")
                .event(71000, "NODE", "WARN", "node 1 was killed")
                .event(74000, "NODE", "INFO", "node 3 was started")
                .event(75000, "NODE", "WARN", "node 3 is in quarantine: the process is new")
                .event(79000, "JOB", "INFO", "WildFly B ran the job, WildFly A skipped it");
    }

    /** While orders run, with one server frozen. */
    static Played busy() {
        return calm().held(1, TOKEN, 4100, 14)
                .running("locked", 120, 60, 40)
                .leases(300, 3)
                .add("/leases/-", lease(1, TOKEN, 81_232, null))
                .job(12)
                .with("/servers/0/process", "FROZEN")
                .with("/servers/0/held", null)
                .with("/servers/0/waiting", null)
                .with("/servers/0/p50Millis", null)
                .with("/servers/0/p99Millis", null)
                .with("/servers/0/ordersPerSecond", null)
                .staleWriter(
                        "RUNNING",
                        "WildFly A takes the lock and is frozen.",
                        "Waiting until its lease ends on the nodes.");
    }

    private static JsonValue value(Object value) {
        if (value instanceof JsonValue json) {
            return json;
        }
        if (value instanceof Map<?, ?> map) {
            JsonObjectBuilder object = Json.createObjectBuilder();
            map.forEach((name, each) -> object.add((String) name, value(each)));
            return object.build();
        }
        if (value instanceof List<?> list) {
            JsonArrayBuilder array = Json.createArrayBuilder();
            list.forEach(each -> array.add(value(each)));
            return array.build();
        }
        if (value instanceof Number number) {
            return number instanceof Double d ? Json.createValue(d) : Json.createValue(number.longValue());
        }
        if (value instanceof Boolean bool) {
            return bool ? JsonValue.TRUE : JsonValue.FALSE;
        }
        return value == null ? JsonValue.NULL : Json.createValue((String) value);
    }
}
