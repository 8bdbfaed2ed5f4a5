// SPDX-License-Identifier: Apache-2.0
package org.apache.tomee.catalina;

/** Has the name by which web modules are known on TomEE, and nothing else of it. */
public final class TomEEWebappClassLoader extends ClassLoader {

    public TomEEWebappClassLoader(ClassLoader parent) {
        super(parent);
    }
}
