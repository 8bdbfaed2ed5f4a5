// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.browser;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;

/** One tab: opens a page, reads it, presses its keys, and keeps what it asked the network for and complained about. */
public final class Tab implements AutoCloseable {

    private static final Map<String, Integer> KEYS = Map.of("Tab", 9, "Enter", 13, " ", 32, "ArrowDown", 40);

    /** The rectangle of some elements on the whole page, 16 pixels larger on each side where there is room. */
    private static final String COVERED = """
            (() => {
              const boxes = [...document.querySelectorAll(%s)].map((element) => element.getBoundingClientRect());
              const x = Math.max(0, Math.min(...boxes.map((box) => box.left)) - 16);
              const y = Math.max(0, Math.min(...boxes.map((box) => box.top)) + scrollY - 16);
              const right = Math.min(document.documentElement.clientWidth, Math.max(...boxes.map((box) => box.right)) + 16);
              const bottom = Math.max(...boxes.map((box) => box.bottom)) + scrollY + 16;
              return { x, y, width: right - x, height: bottom - y, scale: 1 };
            })()""";

    /** On a machine with other work a browser takes its time. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final DevTools tools;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    Tab(DevTools tools) throws IOException, InterruptedException {
        this.tools = tools;
        tools.onEvent(this::record);
        for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
            tools.send(domain + ".enable", JsonValue.EMPTY_JSON_OBJECT);
        }
    }

    private void record(String event, JsonObject data) {
        switch (event) {
            case "Network.requestWillBeSent" ->
                requests.add(data.getJsonObject("request").getString("url"));
            case "Runtime.exceptionThrown" ->
                complaints.add(data.get("exceptionDetails").toString());
            case "Runtime.consoleAPICalled" -> complaints.add(data.get("args").toString());
            case "Log.entryAdded" -> complaints.add(data.get("entry").toString());
            default -> {}
        }
    }

    /** Returns the addresses that the tab has asked for. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    /** Returns what stands in the console of the tab: errors, violations of the policy, and all that the page wrote. */
    public List<String> complaints() {
        return List.copyOf(complaints);
    }

    public void forgetComplaints() {
        complaints.clear();
    }

    /** Runs a script in each page that is opened, before those of the page. */
    public void runFirst(String script) throws IOException, InterruptedException {
        tools.send(
                "Page.addScriptToEvaluateOnNewDocument",
                Json.createObjectBuilder().add("source", script).build());
    }

    /** Opens a page and returns at once. */
    public void begin(String address) throws IOException, InterruptedException {
        tools.send(
                "Page.navigate", Json.createObjectBuilder().add("url", address).build());
    }

    /** Opens a page and returns when it has shown its first state. */
    public void open(String address) throws IOException, InterruptedException {
        begin(address);
        await(() -> {
            if (!is("location.href === " + quoted(address) + " && document.body?.hasAttribute('data-ready')")) {
                throw new AssertionError("the page shows no state: " + complaints);
            }
        });
    }

    /** Sets the size of the view in CSS pixels. */
    public void resize(int width, int height, int scale) throws IOException, InterruptedException {
        tools.send(
                "Emulation.setDeviceMetricsOverride",
                Json.createObjectBuilder()
                        .add("width", width)
                        .add("height", height)
                        .add("deviceScaleFactor", scale)
                        .add("mobile", false)
                        .build());
    }

    /** Emulates what a reader prefers, for example {@code prefers-color-scheme} to be {@code dark}. */
    public void prefer(Map<String, String> features) throws IOException, InterruptedException {
        JsonArrayBuilder array = Json.createArrayBuilder();
        features.forEach((name, value) -> array.add(
                Json.createObjectBuilder().add("name", name).add("value", value).build()));
        tools.send(
                "Emulation.setEmulatedMedia",
                Json.createObjectBuilder().add("features", array).build());
    }

    /** Presses a key and lets it go. */
    public void press(String key) throws IOException, InterruptedException {
        for (String type : List.of("keyDown", "keyUp")) {
            JsonObjectBuilder event = Json.createObjectBuilder()
                    .add("type", type)
                    .add("key", key)
                    .add("code", key.equals(" ") ? "Space" : key)
                    .add("windowsVirtualKeyCode", KEYS.get(key));
            if (type.equals("keyDown") && (key.equals("Enter") || key.equals(" "))) {
                event.add("text", key.equals("Enter") ? "\r" : " ");
            }
            tools.send("Input.dispatchKeyEvent", event.build());
        }
    }

    /** Evaluates JavaScript and returns its value. */
    public JsonValue evaluate(String script) throws IOException, InterruptedException {
        JsonObject answer = tools.send(
                "Runtime.evaluate",
                Json.createObjectBuilder()
                        .add("expression", script)
                        .add("returnByValue", true)
                        .add("awaitPromise", true)
                        .add("userGesture", true)
                        .build());
        if (answer.containsKey("exceptionDetails")) {
            throw new AssertionError(script + " failed: " + answer.get("exceptionDetails"));
        }
        return answer.getJsonObject("result").getOrDefault("value", JsonValue.NULL);
    }

    public boolean is(String script) throws IOException, InterruptedException {
        return evaluate(script) == JsonValue.TRUE;
    }

    /** Evaluates an expression of JavaScript, or a promise of it, to a text. */
    public String text(String script) throws IOException, InterruptedException {
        JsonValue value = evaluate("Promise.resolve(" + script.strip().replaceFirst(";$", "") + ").then(String)");
        return ((jakarta.json.JsonString) value).getString();
    }

    public int number(String script) throws IOException, InterruptedException {
        return (int) Math.round(Double.parseDouble(text(script)));
    }

    /** Returns the text that a reader sees in an element, in one line. */
    public String seen(String selector) throws IOException, InterruptedException {
        return text("document.querySelector(" + quoted(selector) + ").innerText.replace(/\\s+/g, ' ').trim()");
    }

    public void click(String selector) throws IOException, InterruptedException {
        evaluate("document.querySelector(" + quoted(selector) + ").click()");
    }

    /** Writes a picture of what some elements cover together, with a margin. */
    public void picture(Path file, String selector) throws IOException, InterruptedException {
        JsonObject clip = (JsonObject) evaluate(COVERED.formatted(quoted(selector)));
        JsonObject answer = tools.send(
                "Page.captureScreenshot",
                Json.createObjectBuilder()
                        .add("format", "png")
                        .add("captureBeyondViewport", true)
                        .add("clip", clip)
                        .build());
        Files.write(file, Base64.getDecoder().decode(answer.getString("data")));
    }

    /** Waits until an assertion holds. */
    public static void await(ThrowingRunnable assertion) {
        Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).untilAsserted(assertion);
    }

    public static String quoted(String text) {
        return Json.createValue(text).toString();
    }

    @Override
    public void close() {
        try {
            tools.send("Page.close", JsonValue.EMPTY_JSON_OBJECT);
        } catch (IOException e) {
            // The browser has closed the connection before it answered.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        tools.close();
    }
}
