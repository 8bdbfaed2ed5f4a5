// SPDX-License-Identifier: Apache-2.0
package org.holdfast.cdi.internal;

import jakarta.el.ELContext;
import jakarta.el.TypeConverter;
import jakarta.enterprise.context.Dependent;
import jakarta.faces.event.ActionEvent;
import jakarta.faces.event.ActionListener;
import jakarta.servlet.jsp.tagext.SimpleTagSupport;
import jakarta.websocket.Encoder;
import jakarta.websocket.HandshakeResponse;
import jakarta.websocket.server.HandshakeRequest;
import jakarta.websocket.server.ServerEndpointConfig;
import org.holdfast.cdi.Locked;

/** What servers make by themselves, and intercept on some of them only, or on none. */
final class RefusedServerParts {

    private RefusedServerParts() {}

    public static class PartOfFaces implements ActionListener {
        @Locked("a")
        @Override
        public void processAction(ActionEvent event) {}
    }

    @Dependent
    public static class Configuring extends ServerEndpointConfig.Configurator {
        @Locked("a")
        @Override
        public void modifyHandshake(
                ServerEndpointConfig config, HandshakeRequest request, HandshakeResponse response) {}
    }

    @Dependent
    public static class Encoding implements Encoder.Text<String> {
        @Locked("a")
        @Override
        public String encode(String message) {
            return message;
        }
    }

    @Dependent
    public static class Tagging extends SimpleTagSupport {
        @Locked("a")
        @Override
        public void doTag() {}
    }

    @Dependent
    public static class Resolving extends TypeConverter {
        @Locked("a")
        @Override
        public <T> T convertToType(ELContext context, Object value, Class<T> type) {
            return null;
        }
    }
}
