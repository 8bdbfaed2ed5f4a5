// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import org.holdfast.LeaseLock;
import org.holdfast.LeaseReadWriteLock;

/** A lock for readers and writers in the shape of the JDK's. */
record JdkReadWriteLock(LeaseLock readLock, LeaseLock writeLock) implements LeaseReadWriteLock {}
