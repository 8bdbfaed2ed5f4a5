// SPDX-License-Identifier: Apache-2.0

/**
 * An application on Quarkus that ships orders under locks: the code of {@code docs/quarkus.md}.
 *
 * <p>{@code LockServiceProducer} opens the lock service and closes it. {@code Orders} works under locks in the three
 * ways that there are: a method that blocks, one that returns a {@code Uni}, and one with {@link
 * org.holdfast.example.quarkus.OneAtATime}, which is an annotation of this application. {@code OrderResource} is what
 * callers see, and {@code LockReadiness} what probes see.
 */
@NullMarked
package org.holdfast.example.quarkus;

import org.jspecify.annotations.NullMarked;
