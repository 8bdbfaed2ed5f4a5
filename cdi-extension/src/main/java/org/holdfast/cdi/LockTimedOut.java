// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import java.lang.reflect.Method;
import java.util.List;

/**
 * Event: a locked method did not run because another holder had the lock. Fired on the thread that called it.
 *
 * <p>What an observer throws is logged and changes nothing.
 *
 * @param method what did not run
 * @param names the lock's names
 * @param skipped whether the caller has been spared the exception, by {@link OnBusy#SKIP}
 */
public record LockTimedOut(Method method, List<String> names, boolean skipped) {}
