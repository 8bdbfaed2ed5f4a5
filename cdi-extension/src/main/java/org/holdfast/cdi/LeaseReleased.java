// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import java.lang.reflect.Method;
import java.util.List;

/**
 * Event: a lock has been released: its method has ended, and its transaction if that kept it.
 *
 * <p>What an observer throws is logged and changes nothing.
 *
 * @param method what ran under the lock
 * @param names the lock's names
 * @param token the fencing token
 */
public record LeaseReleased(Method method, List<String> names, long token) {}
