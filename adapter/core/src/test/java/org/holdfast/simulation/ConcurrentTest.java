// SPDX-License-Identifier: Apache-2.0
package org.holdfast.simulation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A test in virtual time, which does not mind what else the machine does: others of its class run beside it. */
@Test
@Execution(ExecutionMode.CONCURRENT)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface ConcurrentTest {}
