// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.ejb.EJBException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import org.holdfast.LockException;

/** An EJB container wraps what its beans throw. */
@Provider
public class EjbExceptionMapper implements ExceptionMapper<EJBException> {

    @Override
    public Response toResponse(EJBException e) {
        if (e.getCause() instanceof LockException lock) {
            return new LockExceptionMapper().toResponse(lock);
        }
        throw e;
    }
}
