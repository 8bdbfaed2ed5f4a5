// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.browser;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests in a real browser. A test gets a {@link Tab} of its own as a parameter; after each test its console must be
 * empty, and
 * the tab must have asked only the launcher for anything. Where there is no browser the tests are skipped, and fail
 * with
 * {@code -Dbrowser.required=true}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(BrowserExtension.class)
public @interface NeedsBrowser {}
