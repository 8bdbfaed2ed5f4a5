// SPDX-License-Identifier: Apache-2.0
package org.holdfast.interleavings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A broken variant that is found after a minute or more: Lincheck tells how it came to that, which takes longer than to
 * find it. It is tried where a number of interleavings is given.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(named = "interleavings", matches = "\\d+", disabledReason = "takes a minute")
public @interface SlowVariant {}
