// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeAddressTest {

    private final List<String> violations = new ArrayList<>();

    private List<NodeAddress> parse(String list) {
        return VoterAddresses.parse(list, "nodes", violations).stream()
                .map(NodeAddress.class::cast)
                .toList();
    }

    @Test
    void parse_everyPart_isUnderstood() {
        assertThat(parse("rediss://ada:p%40ss:w+rd@cache.example.org:7001/3"))
                .containsExactly(new NodeAddress("cache.example.org", 7001, true, "ada", "p@ss:w+rd", 3, false));
        assertThat(parse("redis://:secret@10.0.0.1"))
                .containsExactly(new NodeAddress("10.0.0.1", 6379, false, null, "secret", 0, false));
        assertThat(parse("redis://[::1]:7001").get(0).port()).isEqualTo(7001);
        assertThat(parse("redis://a/2?durable=true").get(0).durable()).isTrue();
        assertThat(parse("redis://a?durable=false").get(0).durable()).isFalse();
        assertThat(violations).isEmpty();
    }

    @Test
    void parse_severalNodes_mayHaveSpacesAround() {
        assertThat(parse("redis://a:1, redis://b:2 ,redis://c:3"))
                .extracting(NodeAddress::host)
                .containsExactly("a", "b", "c");
        assertThat(violations).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  "})
    void parse_noNodes_isRefused(String nothing) {
        parse(nothing);
        assertThat(violations).singleElement().asString().contains("nodes", "odd number", "was empty", "redis[s]://");
    }

    @Test
    void parse_evenNumber_isRefused() {
        parse("redis://a,redis://b");
        assertThat(violations)
                .singleElement()
                .asString()
                .contains("nodes", "odd number", "2 nodes: [redis://a:6379, redis://b:6379]");
    }

    @Test
    void parse_sameNodeTwice_isRefused() {
        parse("redis://a:6379,redis://b,redis://A");
        assertThat(violations).singleElement().asString().contains("nodes names redis://A:6379 twice");
    }

    @ParameterizedTest
    @CsvSource({
        "http://a:1, scheme must be redis or rediss",
        "a:7001, scheme must be redis or rediss",
        "redis://, position 8",
        "redis://a:x, no host",
        "redis://a:0, port must be 1 to 65535",
        "redis://a:70000, port must be 1 to 65535",
        "redis://a/x, database must be a number",
        "redis://a/-1, database must be a number",
        "redis://a/0?x=1, ?durable=true and nothing else",
        "redis://ada@a, user without a password",
        "'redis://a b', position",
    })
    void parse_malformedAddress_isRefusedWithTheReason(String address, String reason) {
        parse(address);
        assertThat(violations)
                .singleElement()
                .asString()
                .contains("nodes", reason)
                .contains(address.replace("ada@", "****@").replace("?x=1", "?****"));
    }

    @Test
    void parse_severalFaults_areAllNamedAtOnce() {
        parse("http://ada@a:0/x?foo=1#b");
        assertThat(violations)
                .singleElement()
                .asString()
                .contains(
                        "scheme",
                        "port must be",
                        "no # after",
                        "user without a password",
                        "a number, 0",
                        "nothing else");
    }

    @Test
    void messagesAndToString_neverTellSecrets() {
        parse("redis://:s3cret");
        parse("redis://ada:s3cret");
        parse("redis://ada:s3c,ret@host");
        parse("redis://host/0?password=s3cret");
        parse("redis://host?durable=true&password=s3cret");
        parse("redis://ada:x@host/0?password=s3cret");
        parse("redis://[::1]:6379/0?password=s3cret");
        parse("redis://host/0#s3cret");
        assertThat(violations).allSatisfy(v -> assertThat(v).doesNotContain("s3c"));
        violations.clear();
        parse("redis://ada:s3cret@a:1,http://ada:s3cret@b,redis://ada:s3cret@a:1");
        assertThat(violations).hasSize(2).allSatisfy(v -> assertThat(v).doesNotContain("s3cret"));
        assertThat(parse("redis://ada:s3cret@a:1").toString()).isEqualTo("[redis://a:1]");
    }

    @Test
    void parse_commaInAPassword_isExplainedAndNotTold() {
        parse("redis://ada:12,s3cret,34@a");
        assertThat(violations)
                .anySatisfy(v -> assertThat(v).contains("a comma in a password is written %2C"))
                .allSatisfy(v -> assertThat(v).doesNotContain("s3cret", "12", "34"));
        violations.clear();
        assertThat(parse("redis://ada:12%2C34@a,redis://b,redis://:x@c")).hasSize(3);
        assertThat(violations).isEmpty();
    }
}
