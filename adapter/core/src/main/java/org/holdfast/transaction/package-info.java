// SPDX-License-Identifier: Apache-2.0
/**
 * Transactions of a container, by its {@code TransactionSynchronizationRegistry}: handed in by the resource adapter, or
 * looked up by name where there is none. A lease that was taken in a transaction ends after it, and a transaction does
 * not commit on a lost one.
 */
@NullMarked
package org.holdfast.transaction;

import org.jspecify.annotations.NullMarked;
