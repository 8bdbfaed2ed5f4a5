// SPDX-License-Identifier: Apache-2.0
/**
 * Locks for unit tests of applications.
 *
 * <p>{@link org.holdfast.test.TestLocks} is where to begin. It puts the real protocol together with nodes in memory
 * ({@code MemoryNodes}, which run the real scripts), a clock that the test moves ({@code VirtualTime}), and threads of
 * which it is known when they have nothing to do ({@code TestThreads}). {@code TestProcess} is one application server.
 */
@NullMarked
package org.holdfast.test;

import org.jspecify.annotations.NullMarked;
