// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One demo at a time in a directory: another one would delete its database. Ends with this JVM at the latest. */
final class DirectoryLock implements AutoCloseable {

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** @throws IOException if another demo has the directory */
    static DirectoryLock take(Path directory) throws IOException {
        FileChannel channel = FileChannel.open(
                Files.createDirectories(directory).resolve("lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        if (!isLocked(channel)) {
            channel.close();
            throw new IOException("another demo runs in " + directory.toAbsolutePath() + ": stop it first");
        }
        return new DirectoryLock(channel);
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock(); // ends with the channel
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false; // another demo of this JVM
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
