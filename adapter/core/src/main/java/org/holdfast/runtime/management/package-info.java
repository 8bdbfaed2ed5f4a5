/**
 * What operators see of a running lock service, and what they do: {@link org.holdfast.runtime.management.Operations},
 * whichever way they come, and {@link org.holdfast.runtime.management.LockServiceMXBean} for those that come through
 * JMX.
 */
@NullMarked
package org.holdfast.runtime.management;

import org.jspecify.annotations.NullMarked;
