// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.holdfast.example.demo.process.ShopClient;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.DemoEvent.Kind;
import org.holdfast.example.demo.state.DemoState.Run;
import org.holdfast.example.demo.state.Journal;
import org.holdfast.example.demo.web.ActionResult;

/** Runs of orders under the lock and without it; each on a thing of its own, so both can run side by side. */
public final class OrderRuns {

    private final OrderKind locked;
    private final OrderKind unlocked;
    private final List<ShopServer> servers;
    private final ShopClient client;
    private final Work work;
    private final Journal journal;

    /** Runs of one kind, one at a time. */
    private static final class OrderKind {

        private final String name;
        private final String orderPath;
        private final String sku;
        private final Turn turn;
        private volatile OrderRun last;

        OrderKind(String name, String orderPath, String sku, Turn turn) {
            this.name = name;
            this.orderPath = orderPath;
            this.sku = sku;
            this.turn = turn;
        }

        Run view() {
            OrderRun run = last;
            return run == null ? OrderRun.idle() : run.view();
        }
    }

    /** @param stock the turn of what is sold under the lock, which others use too */
    OrderRuns(List<ShopServer> servers, ShopClient client, Work work, Journal journal, Turn stock) {
        this.locked = new OrderKind("locked", "orders", DemoActions.SKU, stock);
        this.unlocked = new OrderKind("unlocked", "orders-unlocked", DemoActions.SKU + "-unlocked", new Turn());
        this.servers = servers;
        this.client = client;
        this.work = work;
        this.journal = journal;
    }

    ActionResult begin(String kinds) {
        return switch (kinds) {
            case "locked" -> begin(locked);
            case "unlocked" -> begin(unlocked);
            case "both" -> {
                ActionResult first = begin(locked);
                ActionResult second = begin(unlocked);
                yield first instanceof ActionResult.Begun ? first : second;
            }
            default -> new ActionResult.Unknown();
        };
    }

    private ActionResult begin(OrderKind kind) {
        return work.begin(
                kind.turn,
                "a run of " + kind.name + " orders",
                () -> "",
                () -> {
                    OrderRun run = new OrderRun(kind.orderPath, kind.sku, servers, client);
                    kind.last = run;
                    journal.info(
                            Kind.LOAD,
                            OrderRun.ORDERS + " " + kind.name + " orders, " + OrderRun.CUSTOMERS + " at a time, for "
                                    + OrderRun.INITIAL + " things");
                    run.run();
                    report(kind.name, run.view());
                },
                failure -> journal.bad(Kind.LOAD, kind.name + " orders failed: " + failure));
    }

    private void report(String name, Run run) {
        String text = name + " orders: " + run.sold() + " sold, " + run.soldOut() + " sold out, " + run.failed()
                + " failed, " + run.stock() + " left, in " + run.millis() + " ms";
        if (run.oversold() != null && run.oversold() > 0) {
            journal.bad(Kind.LOAD, text + ": " + run.oversold() + " sold that were not there");
        } else if (run.problem() != null) {
            journal.bad(Kind.LOAD, text + "; last problem: " + run.problem());
        } else {
            journal.info(Kind.LOAD, text);
        }
    }

    public Map<String, Run> view() {
        Map<String, Run> runs = new LinkedHashMap<>();
        runs.put(locked.name, locked.view());
        runs.put(unlocked.name, unlocked.view());
        return runs;
    }
}
