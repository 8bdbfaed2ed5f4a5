// SPDX-License-Identifier: Apache-2.0
package org.holdfast.runtime.management;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a console shows of an attribute, an operation or a parameter. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.PARAMETER})
@interface Described {

    /** Returns the text. */
    String value();
}
