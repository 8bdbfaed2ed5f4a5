// SPDX-License-Identifier: Apache-2.0

/**
 * Tries the interleavings of threads in the parts of the protocol that they share, with the model checker of Lincheck.
 *
 * <p>A test has operations on the real class, and what they must look like one after the other. Lincheck switches
 * between the threads of a story at each access to shared memory, and asks of each run whether some order of the
 * operations explains what they returned. A broken variant of each class shows that the check can fail.
 */
package org.holdfast.interleavings;
