// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a parameter the name by which expressions in {@link Locked#value()} know it, whatever it is called in the code
 * and however that is compiled.
 *
 * <pre>{@code
 * @Locked("stock-#{sku}")
 * public void sell(@LockKey("sku") String article) { ... }
 * }</pre>
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface LockKey {

    /** The name, a Java identifier and different from those of the other parameters; {@code key} if it is not given. */
    String value() default "key";
}
