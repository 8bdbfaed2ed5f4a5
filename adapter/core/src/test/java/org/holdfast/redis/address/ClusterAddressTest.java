// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterAddressTest {

    private final List<String> violations = new ArrayList<>();

    private List<VoterAddress> parse(String list) {
        return VoterAddresses.parse(list, "nodes", violations);
    }

    @Test
    void parse_everyPart_isUnderstood() {
        ClusterAddress address =
                (ClusterAddress) parse("rediss+cluster://ada:p%40ss@c1.example.org:7001, c2 ,[::1]:7003?durable=true")
                        .get(0);
        assertThat(address)
                .isEqualTo(new ClusterAddress(
                        List.of(
                                new HostPort("c1.example.org", 7001),
                                new HostPort("c2", 6_379),
                                new HostPort("[::1]", 7003)),
                        true,
                        "ada",
                        "p@ss",
                        true));
        assertThat(address.node(new HostPort("n", 1))).isEqualTo(new NodeAddress("n", 1, true, "ada", "p@ss", 0, true));
        assertThat(address).hasToString("rediss+cluster://c1.example.org:7001,c2:6379,[::1]:7003");
        assertThat(violations).isEmpty();
    }

    @Test
    void parse_votersOfAllKinds_areSeparatedByCommas() {
        assertThat(parse("redis://a:1,redis+cluster://c1,c2,redis+sentinel://s1,s2,s3/m"))
                .extracting(VoterAddress::toString)
                .containsExactly(
                        "redis://a:1",
                        "redis+cluster://c1:6379,c2:6379",
                        "redis+sentinel://s1:26379,s2:26379,s3:26379/m");
        assertThat(violations).isEmpty();
    }

    @Test
    void parse_sameClusterTwice_isRefused() {
        parse("redis+cluster://c1,c2,redis+cluster://C2,c1,redis://a");
        assertThat(violations).singleElement().asString().contains("twice: each node must be an independent Redis");
    }

    @Test
    void parse_whatIsWrongWithAnAddress_isSaidAtOnce() {
        parse("redis+cluster://ada@c1,c1,,c 2,c3:0,c4/1?durable=yes");
        assertThat(violations)
                .singleElement()
                .asString()
                .contains(
                        "nodes must be of the form redis[s]+cluster://",
                        "there is a user without a password",
                        "it names c1:6379 twice",
                        "node '': there is no such host",
                        "node 'c 2': there is no such host",
                        "node 'c3:0': the port must be 1 to 65535",
                        "node 'c4/1': a cluster has no databases",
                        "behind the hosts there may be ?durable=true and nothing else");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis+cluster://ada:s3cr?et@c1",
                "redis+cluster://ada:s3cret@c1/2",
                "redis+cluster://c1?password=s3cret",
                "redis+cluster://c1:s3cret",
                "redis+cluster://ada:s3cr,et@c1,c1"
            })
    void parse_secretsInAFaultyAddress_areNotRepeated(String address) {
        parse(address);
        assertThat(violations).isNotEmpty().noneMatch(text -> text.contains("s3cr") || text.contains("et@"));
    }
}
