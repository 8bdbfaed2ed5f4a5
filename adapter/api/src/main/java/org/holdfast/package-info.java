/**
 * What applications compile against: locks that one process of many holds at a time.
 *
 * <p>A {@link org.holdfast.LockConnectionFactory} comes from JNDI or, without a container, from {@link
 * org.holdfast.Holdfast#connect(String)}. It hands out {@link org.holdfast.LockConnection}s; a connection takes {@link
 * org.holdfast.Lease}s, described by a {@link org.holdfast.LockRequest}. A lease is a lock held until a moment: it is
 * renewed while its holder works, ends with its release, and reports a loss to its holder. Its {@linkplain
 * org.holdfast.Lease#token() token} lets the protected resource refuse a holder that resumed too late.
 *
 * <p>Contention is a value (an empty {@code Optional}); everything else that goes wrong is a {@link
 * org.holdfast.LockException}. Nothing here knows Redis, Jakarta Connectors or CDI.
 */
@NullMarked
package org.holdfast;

import org.jspecify.annotations.NullMarked;
