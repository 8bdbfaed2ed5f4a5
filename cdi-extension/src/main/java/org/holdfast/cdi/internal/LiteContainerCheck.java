// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.ClassConfig;
import jakarta.enterprise.inject.build.compatible.spi.Enhancement;
import jakarta.enterprise.inject.build.compatible.spi.Messages;
import jakarta.enterprise.inject.build.compatible.spi.SkipIfPortableExtensionPresent;
import org.holdfast.cdi.Locked;

/**
 * Refuses an application that has {@link Locked} where nothing would take the lock: in a container of CDI Lite, which
 * runs no portable extension, and so not {@link LockExtension}. Quarkus is one.
 */
@SkipIfPortableExtensionPresent(LockExtension.class)
public class LiteContainerCheck implements BuildCompatibleExtension {

    /** Sees each class with the annotation, on itself or on a method. */
    @Enhancement(types = Object.class, withSubtypes = true, withAnnotations = Locked.class)
    public void refuse(ClassConfig type, Messages messages) {
        messages.error(
                "HF0516: @Locked: this container runs no portable extension of CDI, so nothing would take the locks of "
                        + type.info().name()
                        + ". Take them through a LockConnection, or by an interceptor of the application");
    }
}
