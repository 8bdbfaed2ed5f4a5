/**
 * The protocol under every fault that can be simulated, in virtual time, from one seed.
 *
 * <p>What runs is the real code of {@code org.holdfast.protocol} and the real scripts (by a Lua interpreter over a
 * small keyspace with expiry). What is simulated: nodes, their clocks and memory, the network, and the clients' clocks
 * and pauses. {@link org.holdfast.simulation.World} is the one source of time and randomness: threads of clients run
 * one at a time, so a seed replays its run to the letter. {@link org.holdfast.simulation.Checker} watches the promises.
 */
package org.holdfast.simulation;
