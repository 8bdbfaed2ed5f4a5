// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.util.concurrent.CompletableFuture;
import org.holdfast.cdi.Locked;

/** Tells whether its lock is held while it has a message. */
@MessageDriven(
        activationConfig = {
            @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = SendingServlet.QUEUE),
            @ActivationConfigProperty(propertyName = "destinationType", propertyValue = "jakarta.jms.Queue")
        })
public class LockedMessageDriven implements MessageListener {

    static final CompletableFuture<Boolean> HELD = new CompletableFuture<>();

    @Locked("message")
    @Override
    public void onMessage(Message message) {
        HELD.complete(new RealNodes().isHeld("message"));
    }
}
