// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

/** What a test lets a component do in its transaction. */
@FunctionalInterface
public interface Work {

    void run() throws Exception;
}
