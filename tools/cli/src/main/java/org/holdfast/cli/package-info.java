/**
 * What operators do from a shell: {@link org.holdfast.cli.Main} has a command for each.
 *
 * <p>A command opens {@link org.holdfast.LockOperations} by the settings of the environment, asks the nodes, and prints
 * what they say. It takes no lock, and writes nothing on the nodes but a forced release.
 */
@NullMarked
package org.holdfast.cli;

import org.jspecify.annotations.NullMarked;
