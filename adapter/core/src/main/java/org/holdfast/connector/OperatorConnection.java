// SPDX-License-Identifier: Apache-2.0
package org.holdfast.connector;

import java.util.List;
import org.holdfast.LockConnection;
import org.holdfast.LockConnectionFactory;
import org.holdfast.LockHolder;
import org.holdfast.LockRequest;

/** A handle with what its factory does for operators. An interface, because some containers hand out proxies of handles. */
public interface OperatorConnection extends LockConnection {

    /** As {@link LockConnectionFactory#holders(LockRequest)}. */
    List<LockHolder> holders(LockRequest request);

    /** As {@link LockConnectionFactory#forceRelease(LockRequest)}. */
    List<LockHolder> forceRelease(LockRequest request);
}
