// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** WildFly rolls a transaction back when it times out. The others mark it, and wait for the code that ends it. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@EnabledIfSystemProperty(
        named = "server",
        matches = "wildfly",
        disabledReason = "a timeout rolls nothing back by itself")
@interface WhereTimeoutsInterfere {}
