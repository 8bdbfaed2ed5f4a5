// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

/** A view of EJBs that does not know the type of what they work on. */
public interface Handler<T> {

    boolean handle(T what);
}
