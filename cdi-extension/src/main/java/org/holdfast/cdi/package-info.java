/**
 * Locks by annotation: {@link org.holdfast.cdi.Locked} on the methods of CDI beans and EJBs.
 *
 * <p>The lock is outside the transaction: lock, begin, work, commit, and only then release.
 */
package org.holdfast.cdi;
