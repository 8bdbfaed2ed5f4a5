// SPDX-License-Identifier: Apache-2.0
package org.holdfast.protocol.session;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/** A lock for readers and writers in the shape of the JDK's. */
record JdkReadWriteLock(Lock readLock, Lock writeLock) implements ReadWriteLock {}
