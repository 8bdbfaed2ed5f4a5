// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.quarkus;

import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

/** Quarkus calls a method that returns a {@code Uni} on an event loop, and the others on worker threads. */
@Path("/orders/{order}")
class OrderResource {

    private final Orders orders;

    @Inject
    OrderResource(Orders orders) {
        this.orders = orders;
    }

    @POST
    @Path("shipment")
    public String ship(@PathParam("order") String order) throws InterruptedException {
        return orders.ship(order);
    }

    @POST
    @Path("bill")
    public Uni<String> bill(@PathParam("order") String order) {
        return orders.bill(order);
    }

    @POST
    @Path("parcel")
    public String pack(@PathParam("order") String order) throws InterruptedException {
        return orders.pack(order);
    }
}
