// SPDX-License-Identifier: Apache-2.0
package kotlin.coroutines;

/** Has the name of the last parameter of each suspending function of Kotlin. */
public interface Continuation<T> {}
