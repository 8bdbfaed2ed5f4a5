// SPDX-License-Identifier: Apache-2.0
package io.reactivex;

/** Has the name of a type of RxJava 2. */
public interface SingleSource<T> {}
