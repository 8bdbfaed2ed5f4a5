// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import jakarta.annotation.Resource;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSDestinationDefinition;
import jakarta.jms.Queue;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Sends a message and answers with what its receiver saw. */
@JMSDestinationDefinition(name = SendingServlet.QUEUE, interfaceName = "jakarta.jms.Queue", destinationName = "locked")
@WebServlet("/message")
public class SendingServlet extends HttpServlet {

    static final String QUEUE = "java:app/jms/locked";

    private static final long serialVersionUID = 1L;

    @Resource
    private transient ConnectionFactory connections;

    @Resource(lookup = QUEUE)
    private transient Queue queue;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try (JMSContext context = connections.createContext()) {
            context.createProducer().send(queue, "?");
        }
        response.getWriter()
                .print("message="
                        + LockedMessageDriven.HELD
                                .orTimeout(30, TimeUnit.SECONDS)
                                .join());
    }
}
