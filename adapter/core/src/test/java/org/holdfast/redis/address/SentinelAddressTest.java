// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SentinelAddressTest {

    private final List<String> violations = new ArrayList<>();

    private List<VoterAddress> parse(String list) {
        return VoterAddresses.parse(list, "nodes", violations);
    }

    private SentinelAddress parseOne(String address) {
        return (SentinelAddress) parse(address).get(0);
    }

    @Test
    void parse_everyPart_isUnderstood() {
        SentinelAddress address =
                parseOne("rediss+sentinel://ada:p%40ss@s1.example.org:7001, s2 ,[::1]:7003/my-master_1"
                        + "?sentinelUser=watch&sentinelPassword=a%26b");
        assertThat(address)
                .isEqualTo(new SentinelAddress(
                        List.of(
                                new HostPort("s1.example.org", 7001),
                                new HostPort("s2", 26_379),
                                new HostPort("[::1]", 7003)),
                        "my-master_1",
                        true,
                        "ada",
                        "p@ss",
                        "watch",
                        "a&b"));
        assertThat(address.primary(HostPort.named("::1", 1)))
                .isEqualTo(new NodeAddress("[::1]", 1, true, "ada", "p@ss", 0, false));
        assertThat(address.openSentinel(1)).isEqualTo(new NodeAddress("s2", 26_379, true, null, null, 0, false));
        assertThat(address.guardedSentinel(1)).isEqualTo(new NodeAddress("s2", 26_379, true, "watch", "a&b", 0, false));
        assertThat(violations).isEmpty();
    }

    @Test
    void sentinels_withoutAPasswordOfTheirOwn_areEnteredAsTheNodes() {
        SentinelAddress address = parseOne("redis+sentinel://s/m");
        assertThat(address.as("ada", "secret").guardedSentinel(0))
                .isEqualTo(new NodeAddress("s", 26_379, false, "ada", "secret", 0, false));
    }

    @Test
    void parse_severalVotersOfBothKinds_areSeparatedByCommas() {
        assertThat(parse("redis://a:1,redis+sentinel://s1,s2,s3/m,redis+sentinel://s1,s2,s3/other"))
                .extracting(VoterAddress::toString)
                .containsExactly(
                        "redis://a:1",
                        "redis+sentinel://s1:26379,s2:26379,s3:26379/m",
                        "redis+sentinel://s1:26379,s2:26379,s3:26379/other");
        assertThat(violations).isEmpty();
    }

    @Test
    void parse_sameVoterTwice_isRefused() {
        parse("redis+sentinel://s1,s2/m,redis+sentinel://S2,s1/m,redis://a");
        assertThat(violations).singleElement().asString().contains("twice: each node must be an independent Redis");
    }

    @Test
    void parse_whatIsWrongWithAnAddress_isSaidAtOnce() {
        parse("redis+sentinel://ada@s1,s1,,s 2,s3:0,s4:x?durable=true&sentinelUser=u&db=3");
        assertThat(violations)
                .singleElement()
                .asString()
                .contains(
                        "nodes must be of the form redis[s]+sentinel://",
                        "there is a user without a password",
                        "it names the Sentinel s1:26379 twice",
                        "Sentinel '': there is no such host",
                        "Sentinel 's 2': there is no such host",
                        "Sentinel 's3:0': the port must be 1 to 65535",
                        "Sentinel 's4:x': its port is no number",
                        "the name of the primary is missing",
                        "durable is not for Sentinels",
                        "sentinelUser needs a sentinelPassword",
                        "behind the ? there may be sentinelPassword and sentinelUser, and nothing else");
    }

    @ParameterizedTest
    @CsvSource({
        "redis+sentinel://, there is no such host",
        "redis+sentinel://s, name of the primary is missing",
        "redis+sentinel://s/, name of the primary is missing",
        "redis+sentinel://s/m/2, name of the primary must be letters",
        "redis+sentinel://s/m#2, name of the primary must be letters",
        "redis+sentinel://s/m?, must name an odd number",
        "redis+sentinel://s/m?sentinelPassword, sentinelPassword has no value",
        "redis+sentinel://s/m?sentinelPassword=%zz, two hexadecimal digits",
        "redis+sentinel://s/m?sentinelPassword=a&x=1, and nothing else",
    })
    void parse_malformedAddress_isRefusedWithTheReason(String address, String reason) {
        parse(address + ",redis://b");
        assertThat(violations).singleElement().asString().contains("nodes", reason);
    }

    @Test
    void password_thatIsNotEncoded_isRefusedWithoutAPartOfIt() {
        parse("redis+sentinel://ada:s3%cret@s1,s2/m,redis://b");
        assertThat(violations)
                .singleElement()
                .asString()
                .contains("a % must be followed by two hexadecimal digits")
                .doesNotContain("cr\"");
    }

    @Test
    void userAndPassword_neverTellThePassword() {
        assertThat(AddressText.credentials("ada:s3cret")).asString().doesNotContain("s3cret");
    }

    @Test
    void messagesAndToString_neverTellSecrets() {
        parse("redis+sentinel://ada:s3cret@s1,s2/m/2?sentinelPassword=s3cret");
        parse("redis+sentinel://ada:s3/cret@s1,s2/m");
        parse("redis+sentinel://ada:s3,cret@s1,s2");
        parse("redis+sentinel://s1,s2?sentinelPassword=s3cret@x");
        parse("redis+sentinel://s1,s2/m?s3cret");
        assertThat(violations).hasSize(5).allSatisfy(it -> assertThat(it).doesNotContain("s3", "cret"));
        assertThat(parse("redis+sentinel://ada:s3cret@s1/m?sentinelPassword=s3cret")
                        .toString())
                .isEqualTo("[redis+sentinel://s1:26379/m]");
    }
}
