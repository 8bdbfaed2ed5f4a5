// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.demo.action;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.holdfast.example.demo.process.RedisNode;
import org.holdfast.example.demo.process.ShopClient;
import org.holdfast.example.demo.process.ShopServer;
import org.holdfast.example.demo.state.Clock;
import org.holdfast.example.demo.state.DemoState.Run;
import org.holdfast.example.demo.state.DemoState.StaleWrite;
import org.holdfast.example.demo.state.Journal;
import org.holdfast.example.demo.watch.LockWatch;
import org.holdfast.example.demo.web.ActionResult;
import org.holdfast.example.demo.web.Actions;

/** All actions, by their paths. */
public final class DemoActions implements Actions, AutoCloseable {

    /** What the shop sells under the lock. */
    public static final String SKU = "lamp";

    /** That lock. */
    public static final String LOCK = "stock-" + SKU;

    private static final Pattern INDEX = Pattern.compile("\\d");

    private final Work work = new Work();
    private final List<NodeActions> nodes;
    private final List<ServerActions> servers;
    private final OrderRuns runs;
    private final StaleWriter staleWriter;

    public DemoActions(
            List<RedisNode> nodes,
            List<ShopServer> servers,
            ShopClient client,
            LockWatch lock,
            Clock clock,
            Journal journal) {
        Turn stock = new Turn();
        this.nodes =
                nodes.stream().map(node -> new NodeActions(node, work, journal)).toList();
        this.servers = servers.stream()
                .map(server -> new ServerActions(server, work, journal))
                .toList();
        this.runs = new OrderRuns(servers, client, work, journal, stock);
        this.staleWriter = new StaleWriter(this.servers, client, lock, work, clock, journal, stock);
    }

    @Override
    public ActionResult begin(List<String> path) {
        String first = path.get(0);
        if (path.size() == 3 && first.equals("nodes")) {
            return of(nodes, path.get(1), node -> node.begin(path.get(2)));
        }
        if (path.size() == 3 && first.equals("servers")) {
            return of(servers, path.get(1), server -> server.begin(path.get(2)));
        }
        if (path.size() == 2 && first.equals("load")) {
            return runs.begin(path.get(1));
        }
        return path.equals(List.of("stale-writer")) ? staleWriter.begin() : new ActionResult.Unknown();
    }

    private static <T> ActionResult of(List<T> things, String index, Function<T, ActionResult> action) {
        return INDEX.matcher(index).matches() && Integer.parseInt(index) < things.size()
                ? action.apply(things.get(Integer.parseInt(index)))
                : new ActionResult.Unknown();
    }

    public Map<String, Run> runs() {
        return runs.view();
    }

    public StaleWrite staleWrite() {
        return staleWriter.view();
    }

    @Override
    public void close() {
        work.close();
    }
}
