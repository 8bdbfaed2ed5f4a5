// SPDX-License-Identifier: Apache-2.0
/** The protocol in TLA+, checked by TLC: the modules are in {@code src/test/tla}. */
package org.holdfast.tla;
