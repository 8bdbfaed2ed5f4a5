// SPDX-License-Identifier: Apache-2.0

/**
 * Gives parsers what no right server sends, with Jazzer, which looks for inputs that reach new branches.
 *
 * <p>An ordinary build reads the inputs that are kept in the resources. {@code JAZZER_FUZZ=1} has it look for more.
 */
package org.holdfast.fuzz;
