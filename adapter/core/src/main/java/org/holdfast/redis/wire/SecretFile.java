// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads files that hold secrets: errors name the setting and the path, never the content. */
final class SecretFile {

    private SecretFile() {}

    /**
     * Reads a file, all of it.
     *
     * @param setting the name of the setting that names the file
     * @param most so many bytes it may have
     */
    static byte[] read(String setting, Path path, int most) throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] content = in.readNBytes(most + 1);
            if (content.length > most) {
                throw new IOException("it has more than " + most + " bytes");
            }
            return content;
        } catch (IOException e) {
            throw new IOException(setting + " '" + path + "' cannot be read: " + why(e));
        }
    }

    private static @Nullable String why(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no such file";
        }
        return e instanceof AccessDeniedException ? "access is denied" : e.getMessage();
    }
}
