// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import org.holdfast.InvalidLockRequestException;
import org.holdfast.LockException;

/** No lock, no order: come again later, unless it was asked for in a way that never works. The message says why. */
@Provider
public class LockExceptionMapper implements ExceptionMapper<LockException> {

    @Override
    public Response toResponse(LockException e) {
        return Response.status(
                        e instanceof InvalidLockRequestException
                                ? Response.Status.BAD_REQUEST
                                : Response.Status.SERVICE_UNAVAILABLE)
                .type(MediaType.TEXT_PLAIN)
                .entity(e.getMessage())
                .build();
    }
}
