// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.launcher.PostDiscoveryFilter;

/** Leaves out the tests of a server for which this machine has no Java. */
public final class NeedsJdk implements PostDiscoveryFilter {

    private static final int VERSION = Integer.getInteger("server.java.minimum", 17);

    private final Optional<Path> home = Jdk.atLeast(VERSION);

    public NeedsJdk() {
        if (home.isEmpty()) {
            System.out.println(
                    "Skipped: this server needs a JDK " + VERSION + ", and there is none; -Djdk21.home= names one");
        }
    }

    @Override
    public FilterResult apply(TestDescriptor test) {
        return FilterResult.includedIf(home.isPresent());
    }
}
