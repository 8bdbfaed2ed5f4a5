// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import org.junit.jupiter.api.Test;

class JedisVersionTest {

    private static URL description() throws Exception {
        return new URL("jar:file:/app/WEB-INF/lib/jedis-5.2.0.jar!/redis/clients/jedis/pom.properties");
    }

    @Test
    void version_ofAnotherJedis_isRefusedAndSaysWhereItIs() throws Exception {
        for (String version : new String[] {"5.2.0", "6.2.0", "7.1.0", "9.0.0-beta1"}) {
            assertThat(JedisVersion.problem(version, description()))
                    .startsWith("HF0108: ")
                    .contains(version, "jar:file:/app/WEB-INF/lib/jedis-5.2.0.jar!. ");
        }
    }

    @Test
    void version_thatWasBuiltFor_orIsNotSaid_isTaken() throws Exception {
        assertThat(JedisVersion.problem("8.3.1", description())).isNull();
        assertThat(JedisVersion.problem(null, description())).isNull();
        JedisVersion.require();
    }
}
