// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.shop;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.function.Function;

/** The shop over HTTP, in plain text. */
@RequestScoped
@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class ShopResource {

    private static final int LONGEST_PAUSE_MILLIS = 10_000;

    @Inject
    private Shop shop;

    @Inject
    private SlowShop slowShop;

    @Inject
    private OrderCount orders;

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
        return about(sku, Stock::quantity);
    }

    /** The largest token of a lock that has written the row. */
    @GET
    @Path("stock/{sku}/fence")
    public Response fence(@PathParam("sku") String sku) {
        return about(sku, Stock::fence);
    }

    private Response about(String sku, Function<Stock, Object> value) {
        return shop.find(sku)
                .map(value)
                .map(Response::ok)
                .map(Response.ResponseBuilder::build)
                .orElseGet(() -> Response.status(Response.Status.NOT_FOUND)
                        .entity("there is no " + sku)
                        .build());
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

    /** An order that takes its time, and then writes whatever it has read: see {@link SlowShop}. */
    @POST
    @Path("orders-slow")
    public Response orderSlowly(@QueryParam("sku") String sku, @QueryParam("pause") @DefaultValue("0") int pauseMillis)
            throws InterruptedException {
        if (pauseMillis < 0 || pauseMillis > LONGEST_PAUSE_MILLIS) {
            return Response.status(Response.Status.BAD_REQUEST)
                    .entity("pause must be 0 to " + LONGEST_PAUSE_MILLIS + " ms, was " + pauseMillis)
                    .build();
        }
        return hasName(sku) ? answer(slowShop.sell(sku, pauseMillis)) : noName();
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

    private Response answer(boolean sold) {
        orders.increment();
        return sold
                ? Response.status(Response.Status.CREATED).entity("sold").build()
                : Response.status(Response.Status.CONFLICT).entity("sold out").build();
    }
}
