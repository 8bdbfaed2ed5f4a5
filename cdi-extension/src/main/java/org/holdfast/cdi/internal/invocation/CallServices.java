// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal.invocation;

import org.holdfast.cdi.internal.factory.FactoryLocator;

/**
 * What each call of a locked method uses, once for an application.
 *
 * @param factories where connections come from
 * @param transactions the transaction of the calling thread
 * @param leases the leases of the methods that the calling thread is in
 * @param events the events for the application
 */
public record CallServices(
        FactoryLocator factories, CurrentTransaction transactions, CurrentLeases leases, LockEvents events) {}
