// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node on this machine, which is entered by a file: a UNIX domain socket ({@code unixsocket} of Redis).
 *
 * @param path of the file, absolute
 * @param user ACL user, or null for the default user
 * @param password or null for none; never printed
 * @param database database index, 0 or more
 * @param durable whether the operator vouches that an acknowledged write survives a restart and a failover
 */
public record UnixAddress(
        String path, @Nullable String user, @Nullable String password, int database, boolean durable)
        implements FixedAddress {

    static final String FORM = "redis+unix://[[user]:password@]/path/of/the/socket[?database=...][&durable=true]";

    private static final String SCHEME = "redis+unix://";

    /** Returns whether a text is meant to be such an address. */
    static boolean isMeant(String text) {
        return text.startsWith(SCHEME);
    }

    /**
     * Parses one address.
     *
     * @param text for which {@link #isMeant} is true
     * @param setting the setting's name, for messages
     * @param violations receives one sentence with all faults
     * @return the address, or null if it could not be understood
     */
    static @Nullable UnixAddress parse(String text, String setting, List<String> violations) {
        Parser parser = new Parser(text.substring(SCHEME.length()));
        UnixAddress address = parser.parse();
        if (parser.faults.isEmpty()) {
            return address;
        }
        violations.add(setting + " must be of the form " + FORM + ", was '" + AddressText.withoutSecrets(text) + "': "
                + String.join("; ", parser.faults));
        return null;
    }

    /** A file has no certificate: its permissions say which process may open it. */
    @Override
    public boolean tls() {
        return false;
    }

    @Override
    public UnixAddress as(@Nullable String otherUser, @Nullable String otherPassword) {
        return new UnixAddress(path, otherUser, otherPassword, database, durable);
    }

    @Override
    public UnixAddress asDurable() {
        return new UnixAddress(path, user, password, database, true);
    }

    /** Returns the address without user and password. */
    @Override
    public String toString() {
        return SCHEME + path + (database == 0 ? "" : "?database=" + database);
    }

    /** Takes an address apart, and notes all that is wrong with it. */
    private static final class Parser {

        private final List<String> faults = new ArrayList<>();
        private final String entry;
        private final String path;
        private final String query;
        private int database;
        private boolean durable;

        /** @param rest what follows the scheme */
        Parser(String rest) {
            int question = rest.indexOf('?');
            String place = question < 0 ? rest : rest.substring(0, question);
            int slash = place.indexOf('/');
            this.query = question < 0 ? "" : rest.substring(question + 1);
            this.entry = slash < 0 ? place : place.substring(0, slash);
            this.path = slash < 0 ? "" : place.substring(slash);
        }

        UnixAddress parse() {
            AddressText.Credentials credentials = credentials();
            String file = file();
            for (String each : query.isEmpty() ? new String[0] : query.split("&", -1)) {
                parameter(each);
            }
            return new UnixAddress(file, credentials.user(), credentials.password(), database, durable);
        }

        private AddressText.Credentials credentials() {
            try {
                if (entry.isEmpty()) {
                    return new AddressText.Credentials(null, null);
                }
                if (entry.endsWith("@")) {
                    return AddressText.credentials(entry.substring(0, entry.length() - 1));
                }
                faults.add("before the path there may be a user and a password with an @ behind them, and no host: an"
                        + " absolute path begins with a third /");
            } catch (IllegalArgumentException e) {
                faults.add(e.getMessage());
            }
            return new AddressText.Credentials(null, null);
        }

        private String file() {
            try {
                String file = AddressText.decode(path);
                if (file.length() <= 1) {
                    faults.add("the path of the socket is missing");
                } else if (file.chars().anyMatch(Character::isISOControl)) { // it would begin a line of a log
                    faults.add("there must be no control character in the path");
                }
                return file;
            } catch (IllegalArgumentException e) {
                faults.add("the path: " + e.getMessage());
                return "";
            }
        }

        private void parameter(String text) {
            if (text.matches("database=\\d{1,9}")) {
                database = Integer.parseInt(text.substring("database=".length()));
            } else if (text.equals("durable=true") || text.equals("durable=false")) {
                durable = text.endsWith("true");
            } else { // a password, perhaps: other clients take one there
                faults.add("behind the ? there may be database= with a number, and durable=true, and nothing else");
            }
        }
    }
}
