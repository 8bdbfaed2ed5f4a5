// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi;

/** Has a method that beans in other packages inherit and cannot override. */
public class Elsewhere {

    @Locked("elsewhere")
    void work() {}
}
