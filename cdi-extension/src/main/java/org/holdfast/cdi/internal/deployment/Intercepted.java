// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.deployment;

/** Which components of a web module a server intercepts. */
public enum Intercepted {

    /** All that it makes, also those that are no beans. */
    ALL,

    /** Those that are beans. */
    BEANS,

    /** None that it makes itself, beans or not; only what CDI makes for it, as JAX-RS classes that are beans. */
    MADE_BY_CDI
}
