// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.script;

import java.nio.charset.StandardCharsets;
import org.holdfast.protocol.node.Claim;
import org.holdfast.protocol.node.Command;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the most usual scripts without the words that are the same in each of them: a node spends a tenth of its
 * time for a pair on these. They are in the script's source, as a statement that comes before it and makes the keys and
 * arguments what the script's header lists.
 *
 * <p>Safe for use by any number of threads.
 */
final class ShortCalls {

    private final String lingerMicros;
    private final String nodeKeys;
    private final ScriptText release;

    /** The last one that was asked for: all claims of a service have the same terms. */
    private volatile @Nullable Acquisition acquisition;

    /**
     * Acquisitions of such terms.
     *
     * @param retentionMillis for how long a node remembers a token after its lease
     */
    private record Acquisition(long retentionMillis, long maxSkewMicros, ScriptText text) {}

    /** @param lingerMicros how much longer than its lease a lock's key lasts; 0 to trust the node's memory */
    ShortCalls(NodeKeys keys, long lingerMicros) {
        this.lingerMicros = quoted(Long.toString(lingerMicros));
        boolean guarded = lingerMicros > 0;
        String heartbeat = quoted(keys.own().heartbeat());
        this.nodeKeys = guarded
                ? "KEYS[3] = " + heartbeat + " KEYS[4] = " + quoted(keys.own().mark()) + " "
                : "";
        String oneKey = guarded ? "KEYS[3] = " + heartbeat + " " : "";
        this.release = LockScript.RELEASE_ONE.text().behind(oneKey + "ARGV[5] = ARGV[4] ARGV[4] = '0' ");
    }

    /** Returns the text of the script; the usual one if its calls are not short. */
    ScriptText text(LockScript script, Command command) {
        if (script == LockScript.RELEASE_ONE) {
            return release;
        }
        return script == LockScript.ACQUIRE_ONE && command instanceof Command.Acquire acquire
                ? acquisition(acquire).text()
                : script.text();
    }

    private Acquisition acquisition(Command.Acquire command) {
        Claim claim = command.claim();
        long retention = claim.fenceMillis() - claim.ttlMillis();
        Acquisition known = acquisition;
        if (known == null || known.retentionMillis != retention || known.maxSkewMicros != command.maxSkewMicros()) {
            known = new Acquisition(
                    retention, command.maxSkewMicros(), acquisition(retention, command.maxSkewMicros()));
            acquisition = known;
        }
        return known;
    }

    private ScriptText acquisition(long retentionMillis, long maxSkewMicros) {
        String arguments = "ARGV[6] = ARGV[5] or '0' ARGV[5] = " + lingerMicros + " ARGV[7] = '1' ARGV[8] = ARGV[4]"
                + " ARGV[9] = " + quoted(Long.toString(maxSkewMicros)) + " ARGV[4] = ARGV[3] + " + retentionMillis
                + " ";
        return LockScript.ACQUIRE_ONE.text().behind(nodeKeys + arguments);
    }

    /** Whatever a prefix contains, and in the digits of Lua whatever those of the locale are. */
    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("'");
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            if (octet >= '0' && octet <= '9' || octet >= 'a' && octet <= 'z' || octet == ':') {
                quoted.append((char) octet);
            } else {
                int number = octet & 0xff;
                quoted.append('\\')
                        .append(number / 100)
                        .append(number / 10 % 10)
                        .append(number % 10);
            }
        }
        return quoted.append("'").toString();
    }
}
