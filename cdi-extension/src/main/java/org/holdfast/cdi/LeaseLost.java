// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import java.lang.reflect.Method;
import org.holdfast.LeaseLoss;

/**
 * Event: the lock of a method was lost while it ran. Fired on a thread of the container, or, if the loss was not
 * noticed before the end of the method, on that of the caller.
 *
 * <p>What an observer throws is logged and changes nothing.
 *
 * @param method what runs under the lock that it has no more
 * @param loss what was lost, and why
 */
public record LeaseLost(Method method, LeaseLoss loss) {}
