/**
 * What the algorithm gets handed in: {@link org.holdfast.protocol.env.Time}, {@link
 * org.holdfast.protocol.env.Randomness}, a {@link org.holdfast.protocol.env.Recorder} of what happens, threads, and
 * small helpers that use only these.
 *
 * <ul>
 *   <li>{@link org.holdfast.protocol.env.Callbacks} runs the application's code, on threads that do none of the
 *       library's work.
 *   <li>{@link org.holdfast.protocol.env.Timers} runs what is due at a moment. {@link
 *       org.holdfast.protocol.env.Latencies} measures, {@link org.holdfast.protocol.env.LogRateLimiter} limits log
 *       lines.
 *   <li>{@link org.holdfast.protocol.env.StopFlag} is raised when the lock service stops, or a connection is closed.
 *       Whatever takes a lock checks it, and waiters are woken. {@link org.holdfast.protocol.env.Underway} counts what
 *       has to end on the nodes before their connections close.
 *   <li>{@link org.holdfast.protocol.env.SureLock}, its {@link org.holdfast.protocol.env.SureCondition} and {@link
 *       org.holdfast.protocol.env.Chain} are for threads that may have no memory left: to take a lock, to signal, and
 *       to take an element out needs none.
 *   <li>{@link org.holdfast.protocol.env.Interrupts} tells the interrupts of lost leases from those of the application,
 *       and {@link org.holdfast.protocol.env.KeptInterrupt} is one that a thread puts aside while it waits.
 * </ul>
 *
 * <p>A simulation hands in virtual time and a seeded source of random numbers, and runs the same code. This room knows
 * no other one; every other room may use it.
 */
@NullMarked
package org.holdfast.protocol.env;

import org.jspecify.annotations.NullMarked;
