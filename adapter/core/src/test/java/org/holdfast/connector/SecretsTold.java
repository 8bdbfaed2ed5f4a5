// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A password in every place where one can be given, and whatever can be read after a failure. */
abstract class SecretsTold {

    static final String SECRET = "s3cret";

    /** Everything that is told: logs at every level, messages and stack traces, and what objects say of themselves. */
    final StringWriter told = new StringWriter();

    final PrintWriter out = new PrintWriter(told, true);
    final Logger root = Logger.getLogger("");
    final Level levelBefore = root.getLevel();
    final PrintStream errorsBefore = System.err;

    final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            out.println(entry.getMessage());
            if (entry.getThrown() != null) {
                entry.getThrown().printStackTrace(out);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @TempDir
    Path scratch;

    @BeforeEach
    void listen() {
        handler.setLevel(Level.ALL);
        root.setLevel(Level.ALL);
        root.addHandler(handler);
        System.setErr(new PrintStream(errorsBefore, true) {
            @Override
            public void write(byte[] bytes, int offset, int length) {
                told.write(new String(bytes, offset, length));
                super.write(bytes, offset, length);
            }
        });
    }

    @AfterEach
    void listenNoMore() {
        System.setErr(errorsBefore);
        root.removeHandler(handler);
        root.setLevel(levelBefore);
    }

    void mustFail(ThrowingCallable call) {
        Throwable failure = catchThrowable(call);
        assertThat(failure).isNotNull();
        failure.printStackTrace(out);
    }

    /** Where a password can be given. */
    enum Place {
        PROPERTY {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) {
                adapter.setNodes("redis://127.0.0.1:" + port);
                adapter.setUser("ada");
                adapter.setPassword(SECRET);
            }
        },
        ADDRESS {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) {
                adapter.setNodes("redis://ada:" + SECRET + "@127.0.0.1:" + port);
            }
        },
        ADDRESSES_OF_SOME_NODES {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) {
                adapter.setNodes("redis://127.0.0.1:" + port + ",redis://:" + SECRET + "@localhost:" + port
                        + ",redis://ada:" + SECRET + "@[::1]:1");
                adapter.setPassword(SECRET);
            }
        },
        FILE {
            @Override
            void give(HoldfastResourceAdapter adapter, int port) throws IOException {
                adapter.setNodes("redis://127.0.0.1:" + port);
                adapter.setPasswordFile(Files.writeString(Files.createTempFile("password", null), SECRET + "\n")
                        .toString());
            }
        };

        abstract void give(HoldfastResourceAdapter adapter, int port) throws IOException;
    }
}
