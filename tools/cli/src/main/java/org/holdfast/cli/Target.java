// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.holdfast.Holdfast;
import org.holdfast.LockOperations;
import org.holdfast.QuorumUnavailableException;
import org.holdfast.Setting;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The nodes of a command, and how they are reached: options that all commands have. */
final class Target {

    /** Voters that move must have been watched for some seconds before they are asked. */
    private static final Duration PATIENCE_WITH_MOVING = Duration.ofSeconds(20);

    /** Of a node, behind Sentinels with commas between them; or of Sentinels. */
    private static final Pattern PASSWORD = Pattern.compile("://[^/@]*:[^/@]*@|[?&]sentinelPassword=");

    /** The first connection with TLS loads classes in a JVM that is cold, and takes longer than 200 ms. */
    private static final long NODE_TIMEOUT_MILLIS = 1_000;

    private static final long PAUSE_MILLIS = 500;

    private final Map<String, String> environment;

    @Option(
            names = "--nodes",
            paramLabel = "ADDRESSES",
            description =
                    "The nodes, as the setting nodes has them; no password: others see it in the list of processes.")
    private @Nullable String nodes;

    @Option(
            names = "--settings",
            paramLabel = "FILE",
            description =
                    "A file of properties with settings, such as nodes=redis://a:6379. They come before the environment.")
    private @Nullable Path file;

    @Option(
            names = "--patience",
            paramLabel = "DURATION",
            description = "How long to go on asking while too few nodes can be used, such as PT20S. Default: PT20S with"
                    + " Sentinels and clusters, which take up to 11 s, else PT0S.")
    private @Nullable Duration patience;

    Target(Map<String, String> environment) {
        this.environment = environment;
    }

    /** Returns the settings: those of options, then of the file, then of the environment. */
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>();
        for (Setting setting : Setting.values()) {
            String value = environment.get(setting.environmentVariable());
            if (value != null && !value.isBlank()) {
                settings.put(setting.key(), value);
            }
        }
        if (file != null) {
            settings.putAll(read(file));
        }
        if (nodes != null) {
            if (PASSWORD.matcher(nodes).find()) {
                throw new IllegalArgumentException("--nodes must not have a password, which others see in the list of"
                        + " processes: set " + Setting.PASSWORD_FILE.environmentVariable() + " or "
                        + Setting.PASSWORD.environmentVariable());
            }
            settings.put(Setting.NODES.key(), nodes);
        }
        nodeTimeout(settings).ifPresent(millis -> settings.putIfAbsent(Setting.NODE_TIMEOUT_MILLIS.key(), millis));
        return settings;
    }

    /** Returns a timeout that settings allow, which is half of the TTL at the most; none if they are wrong. */
    private static Optional<String> nodeTimeout(Map<String, String> settings) {
        try {
            long shortest = Stream.of(
                            Setting.TTL_MILLIS, Setting.MAX_LEASE_TTL_MILLIS, Setting.PREVIOUS_MAX_LEASE_TTL_MILLIS)
                    .flatMap(setting -> Optional.ofNullable(settings.get(setting.key())).stream())
                    .mapToLong(value -> Long.parseLong(value.trim()))
                    .min()
                    .orElse(Long.MAX_VALUE);
            return Optional.of(String.valueOf(Math.min(NODE_TIMEOUT_MILLIS, shortest / 2)));
        } catch (NumberFormatException e) {
            return Optional.empty(); // what reads the settings says what is wrong with them
        }
    }

    private static Map<String, String> read(Path file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new IllegalArgumentException("the settings cannot be read: " + e);
        }
        Map<String, String> settings = new HashMap<>();
        properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        return settings;
    }

    /** Opens the operations; nothing is asked yet. */
    LockOperations open() {
        return Holdfast.operate(settings());
    }

    /**
     * Asks until enough nodes can be used, or patience has ended.
     *
     * @throws QuorumUnavailableException if too few nodes could be used at the last try
     */
    <T> T ask(LockOperations operations, Function<LockOperations, T> question) {
        long begun = System.nanoTime();
        while (true) {
            try {
                return question.apply(operations);
            } catch (QuorumUnavailableException e) {
                if (!goesOn(begun)) {
                    throw e;
                }
            }
        }
    }

    /** Pauses, and returns whether to ask once more. */
    boolean goesOn(long begun) {
        if (System.nanoTime() - begun >= TimeUnit.NANOSECONDS.convert(patience())) {
            return false;
        }
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Duration patience() {
        if (patience != null) {
            return patience;
        }
        String all = settings().getOrDefault(Setting.NODES.key(), "");
        return all.contains("+sentinel://") || all.contains("+cluster://") ? PATIENCE_WITH_MOVING : Duration.ZERO;
    }
}
