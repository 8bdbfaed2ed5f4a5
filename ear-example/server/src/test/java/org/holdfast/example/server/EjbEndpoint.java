// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.ejb.Singleton;
import jakarta.websocket.OnMessage;
import jakarta.websocket.server.ServerEndpoint;
import org.holdfast.cdi.Locked;

/** An EJB of whose class TomEE makes another instance for each client. */
@ServerEndpoint("/ejb")
@Singleton
public class EjbEndpoint {

    @Locked("ejb")
    @OnMessage
    public String answer(String message) {
        return message;
    }
}
