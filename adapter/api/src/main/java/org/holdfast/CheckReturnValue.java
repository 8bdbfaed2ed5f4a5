// SPDX-License-Identifier: Apache-2.0
package org.holdfast;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Has Error Prone, which knows it by this name, refuse a call whose result is ignored: {@code connection.lock("a")}
 * alone takes nothing, and {@code request.ttl(d)} alone changes nothing.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
@interface CheckReturnValue {}
