// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One browser for all tests of a run, and one tab for each test. */
final class BrowserExtension implements ExecutionCondition, ParameterResolver, AfterTestExecutionCallback {

    private static final Namespace NAMESPACE = Namespace.create(BrowserExtension.class);

    /** The browser and its directory: ends with the run of all tests. */
    private record Running(Chromium browser, Path directory) implements AutoCloseable {

        static Running start() {
            try {
                Path directory = Files.createTempDirectory("browser");
                return new Running(Chromium.start(directory), directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws Exception {
            browser.close();
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            }
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (Chromium.find().isPresent() || Boolean.getBoolean("browser.required")) {
            return ConditionEvaluationResult.enabled("there is a browser, or there must be");
        }
        context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent("skipped", key -> {
            System.out.println("Tests of the page are skipped: no chromium on the PATH");
            return true;
        });
        return ConditionEvaluationResult.disabled("no chromium on the PATH");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Tab.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE).getOrComputeIfAbsent("tab", key -> newTab(context), Tab.class);
    }

    private static Tab newTab(ExtensionContext context) {
        Running running = context.getRoot()
                .getStore(NAMESPACE)
                .getOrComputeIfAbsent("browser", key -> Running.start(), Running.class);
        try {
            return running.browser().newTab();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Before the test ends its launcher: that would be a complaint too. */
    @Override
    public void afterTestExecution(ExtensionContext context) {
        Tab tab = context.getStore(NAMESPACE).remove("tab", Tab.class);
        if (tab != null) {
            try (tab) {
                assertThat(tab.complaints()).as("console of the page").isEmpty();
                assertThat(tab.requests())
                        .as("requests of the page")
                        .allMatch(address -> address.startsWith("http://localhost:") || address.equals("about:blank"));
            }
        }
    }
}
