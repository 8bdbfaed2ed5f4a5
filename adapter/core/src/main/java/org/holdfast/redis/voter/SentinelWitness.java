// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.util.List;
import org.holdfast.protocol.term.Witnesses;
import org.holdfast.redis.address.HostPort;
import org.holdfast.redis.address.SentinelAddress;
import org.holdfast.redis.wire.NodeConnection;
import org.holdfast.redis.wire.NodeConnector;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * One of the Sentinels of a voter.
 *
 * @param index which one of those that the address names
 */
record SentinelWitness(SentinelAddress address, int index) implements Witness<Witnesses.Testimony> {

    @Override
    public HostPort place() {
        return address.sentinels().get(index);
    }

    @Override
    public NodeConnection open(NodeConnector connector, boolean withPassword) {
        return withPassword
                ? connector.open(address.guardedSentinel(index), 0, connector.deadline())
                : connector.openWithoutPasswordFile(address.openSentinel(index), connector.deadline());
    }

    @Override
    public List<CommandArguments> questions() {
        return List.of(
                new CommandArguments(Command.SENTINEL)
                        .add("GET-MASTER-ADDR-BY-NAME")
                        .add(address.master()),
                new CommandArguments(Command.SENTINEL).add("MASTER").add(address.master()),
                new CommandArguments(Command.INFO).add("server"),
                new CommandArguments(Command.SENTINEL).add("REPLICAS").add(address.master()),
                new CommandArguments(Command.SENTINEL).add("SENTINELS").add(address.master()),
                new CommandArguments(Command.SENTINEL).add("MYID"));
    }

    @Override
    public Witnesses.Testimony understand(List<@Nullable Object> replies) {
        return SentinelReply.testimony(address.master(), replies);
    }

    @Override
    public String describe(Witnesses.Testimony testimony) {
        String process = testimony.process();
        return "names " + testimony.place() + " in epoch " + testimony.epoch()
                + (process.isEmpty()
                        ? ", and has not found out which process is there, which takes 10 s after a failover"
                        : " (process " + process + ")");
    }

    @Override
    public String lacksPassword() {
        return "it asks for a password, and neither its address (?sentinelPassword=) nor that of the nodes has one";
    }
}
