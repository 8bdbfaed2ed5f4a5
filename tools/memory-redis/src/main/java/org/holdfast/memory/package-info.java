// SPDX-License-Identifier: Apache-2.0
/**
 * The part of Redis that the scripts of Holdfast use, in memory and by a clock that is handed in. It runs the real
 * scripts, in an interpreter of Lua. The simulation and {@code holdfast-test} have their nodes here; a test of the core
 * compares it with a real redis-server, command by command.
 */
package org.holdfast.memory;
