// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import org.holdfast.LockConnectionFactory;

/** Writes a factory and reads it with the classes of the application, as a container does with a stateful bean. */
final class WrittenFactory {

    private WrittenFactory() {}

    static byte[] write(Object factory) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(factory);
        }
        return bytes.toByteArray();
    }

    static LockConnectionFactory read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
            @Override
            protected Class<?> resolveClass(ObjectStreamClass type) throws ClassNotFoundException {
                return Class.forName(
                        type.getName(), false, Thread.currentThread().getContextClassLoader());
            }
        }) {
            return (LockConnectionFactory) in.readObject();
        }
    }
}
