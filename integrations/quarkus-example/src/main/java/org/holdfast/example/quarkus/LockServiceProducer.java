// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import io.quarkus.runtime.Startup;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.Map;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.holdfast.Holdfast;
import org.holdfast.LockConnectionFactory;

@Singleton
class LockServiceProducer {

    @Produces
    @Startup // so that wrong settings end the start, and not the first call
    @ApplicationScoped
    LockConnectionFactory open(@ConfigProperty(name = "holdfast") Map<String, String> settings) {
        return Holdfast.connect(settings);
    }

    void close(@Disposes LockConnectionFactory locks) {
        locks.close();
    }
}
