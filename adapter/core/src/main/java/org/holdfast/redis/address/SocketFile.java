// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The file by which a process on this machine was entered. Redis deletes a file that is there when it starts: so a
 * second process takes the place of one that goes on, and connections to that one stay open. No port can be taken so.
 *
 * @param path where it is, absolute
 * @param key which file it is. No other one has it while a connection is open that was made by it
 */
public record SocketFile(Path path, Object key) {

    /** Returns the file that is there; null if there is none, or none that this process may look at. */
    public static @Nullable SocketFile at(Path path) {
        try {
            return of(path);
        } catch (IOException e) {
            return null;
        }
    }

    private static SocketFile of(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return new SocketFile(path, Optional.ofNullable(attributes.fileKey()).orElse("unknown"));
    }

    /**
     * Returns whether another file is there by now, or may be. Where there is none, no other process was entered by
     * this path until now: what is granted by then is over when the quarantine of the next one is.
     */
    public boolean isReplaced() {
        try {
            return !equals(of(path));
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
