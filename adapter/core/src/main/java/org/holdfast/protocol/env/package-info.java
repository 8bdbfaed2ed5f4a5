/**
 * What the algorithm gets handed in: {@link org.holdfast.protocol.env.Time}, {@link
 * org.holdfast.protocol.env.Randomness}, a {@link org.holdfast.protocol.env.Recorder} of what happens, and small
 * helpers that use only these.
 *
 * <p>A simulation hands in virtual time and a seeded source of random numbers, and runs the same code. This room knows
 * no other one; every other room may use it.
 */
package org.holdfast.protocol.env;
