// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import java.lang.reflect.Method;
import java.util.List;

/**
 * Event: a locked method has got its lock and is about to run. Fired on its thread, before it.
 *
 * <p>What an observer throws is logged and changes nothing.
 *
 * @param method what runs under the lock
 * @param names the lock's names
 * @param token the fencing token
 */
public record LeaseAcquired(Method method, List<String> names, long token) {}
