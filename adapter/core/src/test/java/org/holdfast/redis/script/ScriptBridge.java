// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.holdfast.memory.ScriptCall;
import org.holdfast.protocol.guard.MarkChange;
import org.holdfast.protocol.node.Answer;
import org.holdfast.protocol.node.Command;
import org.holdfast.protocol.node.SharedSettings;
import org.holdfast.redis.cluster.HomeSearch;

/** Opens the room's door a little for the simulation and the contract: what is sent, and how answers are understood. */
public final class ScriptBridge {

    /** Scripts by their SHA: one text each, whose hash is computed once. */
    private static final Map<String, String> SOURCES = new ConcurrentHashMap<>();

    private static final Set<String> BEHIND_PROXY = Stream.of(LockScript.values())
            .map(LockScript::behindProxy)
            .filter(script -> script.comparesProcess() && script.prelude() == null)
            .map(ScriptBridge::source)
            .collect(Collectors.toSet());

    private static final String MARK = new String(LockScript.MARK.source(), StandardCharsets.UTF_8);

    private ScriptBridge() {}

    /** @param quarantineMicros how long a forgotten lock may last; 0 to trust the node's memory */
    public static ScriptCall call(Command command, String prefix, long quarantineMicros) {
        return call(command, codec(prefix, quarantineMicros), "", 0);
    }

    /**
     * Returns the call with all the words that the headers of the scripts list.
     *
     * @param quarantineMicros how long a forgotten lock may last; 0 to trust the node's memory
     */
    public static ScriptCall whole(Command command, String prefix, long quarantineMicros) {
        ScriptCodec asking = codec(prefix, quarantineMicros);
        asking.askWhichProcess(); // such calls are not short
        return call(asking.bySource(command, new CallBytes()));
    }

    /**
     * @param process which the client has seen there; nodes that are no shards are not asked
     * @param vouchedMillis leases that ended until then by the node's clock have ended; 0 to vouch for none
     */
    public static ScriptCall call(Command command, ScriptCodec codec, String process, long vouchedMillis) {
        return call(command, codec, process, codec.vouching(command, vouchedMillis, true, new CallBytes()));
    }

    /**
     * @param quarantineMicros how long a forgotten lock may last; 0 to trust the node's memory
     * @param vouchedMillis leases that ended until then by the node's clock have ended; 0 to vouch for none
     */
    public static ScriptCall call(Command command, String prefix, long quarantineMicros, long vouchedMillis) {
        return call(command, codec(prefix, quarantineMicros), "", vouchedMillis);
    }

    /** @param earliestMillis what the node's clock shows at the least if it is not behind */
    public static ScriptCall shortening(
            Command.Renew command, String prefix, long quarantineMicros, long earliestMillis) {
        return shortening(command, codec(prefix, quarantineMicros), "", earliestMillis);
    }

    /** @param earliestMillis what the node's clock shows at the least if it is not behind */
    public static ScriptCall shortening(Command.Renew command, ScriptCodec codec, String process, long earliestMillis) {
        return call(command, codec, process, codec.shortening(command, earliestMillis, true, new CallBytes()));
    }

    /** Returns the call of a renewal of one name as one of many; {@link #answer} finds its reply among theirs. */
    public static ScriptCall amongMany(Command.Renew command, ScriptCodec codec) {
        return call(codec.renewals(List.of(command), false, new CallBytes()));
    }

    static ScriptCall call(CallBytes call) {
        List<String> words = ScriptWords.of(call);
        int keys = Integer.parseInt(words.get(2));
        return new ScriptCall(words.get(1), words.subList(3, 3 + keys), words.subList(3 + keys, words.size()));
    }

    /** @param quarantineMicros how long a forgotten lock may last; 0 to trust the node's memory */
    public static ScriptCodec codec(String prefix, long quarantineMicros) {
        long margin = TimeUnit.NANOSECONDS.toMicros(SharedSettings.LINGER_MARGIN.toNanos());
        return new ScriptCodec(prefix, quarantineMicros > 0 ? quarantineMicros + margin : 0);
    }

    private static ScriptCall call(Command command, ScriptCodec codec, String process, CallBytes call) {
        boolean isTold = !process.isEmpty() && codec.keys().shard().isPresent();
        List<String> words = ScriptWords.of(isTold ? codec.seenAs(process, command, call) : call);
        String source =
                SOURCES.computeIfAbsent(words.get(1), sha -> ScriptWords.of(codec.bySource(command, new CallBytes()))
                        .get(1));
        int keys = Integer.parseInt(words.get(2));
        return new ScriptCall(source, words.subList(3, 3 + keys), words.subList(3 + keys, words.size()));
    }

    /** What a shard gets to write down since when it has its slots. */
    public static ScriptCall slots(NodeKeys keys, String seen, String text) {
        return new ScriptCall(source(LockScript.SLOTS), List.of(keys.own().slots()), List.of(seen, text));
    }

    /** What a shard gets to write down in which slot it keeps what it knows of itself. */
    public static ScriptCall door(NodeKeys keys, String tag, String seen, String sign, boolean voids) {
        return new ScriptCall(
                source(LockScript.DOOR), List.of(keys.door(tag)), List.of(seen, sign, voids ? keys.markAt(tag) : ""));
    }

    private static String source(LockScript script) {
        return new String(script.source(), StandardCharsets.UTF_8);
    }

    /**
     * Returns the same call with the process that the client has seen there, if its script compares that.
     *
     * @param call of a codec that asks which process it is
     */
    public static ScriptCall behindProxy(ScriptCall call, String process) {
        if (!BEHIND_PROXY.contains(call.source())) {
            return call;
        }
        List<String> told = new ArrayList<>(call.arguments());
        told.add(process);
        return new ScriptCall(call.source(), call.keys(), told);
    }

    /** Returns the name by which a node knows a script. */
    public static String sha(LockScript script) {
        return new String(script.text().sha(), StandardCharsets.US_ASCII);
    }

    /** What a node gets to set its birth mark. */
    public static ScriptCall mark(String prefix, MarkChange change) {
        return mark(new ScriptCodec(prefix, 1).keys(), change);
    }

    /** What a node gets to set its birth mark. */
    public static ScriptCall mark(NodeKeys keys, MarkChange change) {
        return mark(keys, change, Optional.empty());
    }

    /** What a shard gets, where a sign leads to the mark. */
    public static ScriptCall mark(NodeKeys keys, MarkChange change, Optional<HomeSearch.Lead> lead) {
        return new ScriptCall(
                MARK,
                List.of(keys.own().mark(), keys.own().heartbeat()),
                List.of(
                        change.seenText(),
                        Long.toString(change.sinceMicros()),
                        Long.toString(change.steadyMicros()),
                        change.rest(),
                        Long.toString(change.heartbeatMillis()),
                        Long.toString(change.earlyMicros()),
                        Long.toString(change.behindUntilMicros()),
                        Long.toString(change.lookedMicros()),
                        change.isAnotherClocks() ? "1" : "0",
                        keys.own().listOfSlots(),
                        lead.map(it -> keys.door(it.door())).orElse(""),
                        lead.map(HomeSearch.Lead::sign).orElse("")));
    }

    /** What a node returned that got it: the moment of the look, or nothing if the mark was another. */
    public static Optional<Long> markedAt(Object reply) {
        List<?> numbers = (List<?>) reply;
        return numbers.get(0).equals(8L) ? Optional.of((Long) numbers.get(1)) : Optional.empty();
    }

    /** The channel on which releases of a lock are published. */
    public static String channel(String prefix, String lock) {
        return new ScriptCodec(prefix, 1).keys().channel(lock);
    }

    /** The key that holds the exclusive owner of a lock. */
    public static String lockKey(String prefix, String lock) {
        return prefix + ":{" + lock + "}:lock";
    }

    public static String markKey(String prefix) {
        return new ScriptCodec(prefix, 1).keys().own().mark();
    }

    public static String heartbeatKey(String prefix) {
        return new ScriptCodec(prefix, 1).keys().own().heartbeat();
    }

    /** @param raw of a call of its own, or of one among many: a reply that is no list is a list of one in memory */
    public static Answer answer(int node, Object raw) {
        boolean isAlone = raw instanceof List<?> replies && replies.size() == 1;
        return ReplyDecoder.answer(node, isAlone ? ((List<?>) raw).get(0) : raw);
    }
}
