// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.batch.api.AbstractBatchlet;
import jakarta.ejb.Local;
import jakarta.ejb.Stateless;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Named;
import org.holdfast.cdi.Locked;

/** Beans with locked methods that TomEE does not intercept. */
final class BeansWithLimits {

    private BeansWithLimits() {}

    public interface Working {
        default void work() {}
    }

    public interface LockedWorking {
        @Locked("inherited")
        default void workLocked() {}
    }

    @Dependent
    public static class InheritingMethod implements LockedWorking {}

    @Locked("inherited")
    @Dependent
    public static class InheritingBean implements Working {}

    @Locked("inherited")
    @Stateless
    @Local(Working.class)
    public static class InheritingEjb implements Working {}

    @Dependent
    public static class NamelessBatchlet extends AbstractBatchlet {
        @Locked("batch")
        @Override
        public String process() {
            return "done";
        }
    }

    @Named
    @Dependent
    public static class WithAName extends NamelessBatchlet {}
}
