// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/** The shop over HTTP, in plain text. */
@RequestScoped
@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class ShopResource {

    @Inject
    private Shop shop;

    @Inject
    private Warehouse warehouse;

    @Inject
    private Tickets tickets;

    @POST
    @Path("stock/{sku}")
    public Response stock(@PathParam("sku") String sku, @QueryParam("quantity") Integer quantity) {
        if (quantity == null || quantity < 0) {
            return Response.status(Response.Status.BAD_REQUEST)
                    .entity("quantity must be a number, 0 or more, was " + quantity)
                    .build();
        }
        warehouse.stock(sku, quantity);
        return Response.ok(quantity).build();
    }

    @GET
    @Path("stock/{sku}")
    public Response stock(@PathParam("sku") String sku) {
        var quantity = shop.quantity(sku);
        return quantity.isPresent()
                ? Response.ok(quantity.getAsInt()).build()
                : Response.status(Response.Status.NOT_FOUND)
                        .entity("there is no " + sku)
                        .build();
    }

    @POST
    @Path("orders")
    public Response order(@QueryParam("sku") String sku) {
        return hasName(sku) ? answer(shop.sell(sku)) : noName();
    }

    @POST
    @Path("orders-unlocked")
    public Response orderUnlocked(@QueryParam("sku") String sku) {
        return hasName(sku) ? answer(shop.sellUnlocked(sku)) : noName();
    }

    /** An order whose payment fails after the stock was taken. */
    @POST
    @Path("orders-refused")
    public Response orderRefused(@QueryParam("sku") String sku) {
        try {
            shop.sellAndFail(sku);
            return answer(true);
        } catch (PaymentRefusedException e) {
            return Response.status(Response.Status.PAYMENT_REQUIRED)
                    .entity(e.getMessage())
                    .build();
        }
    }

    /** Draws a number that is larger than every one drawn before. */
    @POST
    @Path("tickets/{counter}")
    public long ticket(@PathParam("counter") String counter) throws InterruptedException {
        return tickets.draw(counter);
    }

    private static boolean hasName(String sku) {
        return sku != null && !sku.isEmpty();
    }

    private static Response noName() {
        return Response.status(Response.Status.BAD_REQUEST)
                .entity("sku must be given")
                .build();
    }

    private static Response answer(boolean sold) {
        return sold
                ? Response.status(Response.Status.CREATED).entity("sold").build()
                : Response.status(Response.Status.CONFLICT).entity("sold out").build();
    }
}
