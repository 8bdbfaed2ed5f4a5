// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnixAddressTest {

    private final List<String> violations = new ArrayList<>();

    private List<VoterAddress> parse(String list) {
        return VoterAddresses.parse(list, "nodes", violations);
    }

    @Test
    void parse_everyPart_isUnderstood() {
        UnixAddress address =
                (UnixAddress) parse("redis+unix://ada:p%40s%2Fs@/run/my%20redis/6379.sock?database=2&durable=true")
                        .get(0);
        assertThat(address).isEqualTo(new UnixAddress("/run/my redis/6379.sock", "ada", "p@s/s", 2, true));
        assertThat(address).hasToString("redis+unix:///run/my redis/6379.sock?database=2");
        assertThat(address.isMoving()).isFalse();
        assertThat(address.tls()).isFalse();
        assertThat(violations).isEmpty();
    }

    @Test
    void parse_aPathAlone_hasDefaults() {
        assertThat(parse("redis+unix:///tmp/a")).containsExactly(new UnixAddress("/tmp/a", null, null, 0, false));
        assertThat(violations).isEmpty();
    }

    @Test
    void parse_besideOtherKinds_isAVoter() {
        assertThat(parse("redis://a:1,redis+unix:///a,redis+cluster://c1,c2"))
                .extracting(VoterAddress::toString)
                .containsExactly("redis://a:1", "redis+unix:///a", "redis+cluster://c1:6379,c2:6379");
        assertThat(violations).isEmpty();
    }

    @Test
    void parse_oneFileTwice_isReported() {
        parse("redis+unix:///a,redis+unix:///b,redis+unix://:x@/a");
        assertThat(violations).singleElement().asString().contains("names redis+unix:///a twice");
    }

    @ParameterizedTest
    @CsvSource({
        "redis+unix://run/redis.sock, an absolute path begins with a third /",
        "redis+unix://, the path of the socket is missing",
        "redis+unix:///, the path of the socket is missing",
        "redis+unix://ada@/run/a, there is a user without a password",
        "redis+unix:///run/a%0Ab, there must be no control character in the path",
        "redis+unix:///run/a%zz, a % must be followed by two hexadecimal digits",
        "redis+unix:///run/a?password=secret, behind the ? there may be database=",
        "redis+unix:///run/a?database=-1, behind the ? there may be database=",
        "redis+unix://:sec/ret@/run/a, an absolute path begins with a third /"
    })
    void parse_aFault_isReportedWithoutSecrets(String text, String fault) {
        assertThat(parse(text)).isEmpty();
        assertThat(violations)
                .singleElement()
                .asString()
                .contains("redis+unix://[[user]:password@]/path/of/the/socket", fault)
                .doesNotContain("secret", "sec/", "ret@");
    }

    @Test
    void parse_severalFaults_areReportedAtOnce() {
        parse("redis+unix://host/?x=1");
        assertThat(violations)
                .singleElement()
                .asString()
                .contains("a third /", "the path of the socket is missing", "behind the ?");
    }
}
