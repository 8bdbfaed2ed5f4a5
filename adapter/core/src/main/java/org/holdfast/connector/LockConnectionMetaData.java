// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import jakarta.resource.spi.ManagedConnectionMetaData;

/** What a managed connection says of itself. */
final class LockConnectionMetaData implements ManagedConnectionMetaData {

    @Override
    public String getEISProductName() {
        return "Redis";
    }

    /** Each of the nodes may have another version. */
    @Override
    public String getEISProductVersion() {
        return "";
    }

    /** Returns 0: no limit that we know of. */
    @Override
    public int getMaxConnections() {
        return 0;
    }

    /** Users are configured per node, not per connection. */
    @Override
    public String getUserName() {
        return "";
    }
}
