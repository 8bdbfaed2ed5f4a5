// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.inject.spi.Extension;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** A method that asks for more than its factory allows, and settings that are wrong, are found at deployment. */
@ExtendWith(ArquillianExtension.class)
@Timeout(240)
class RefusedLimitsIT {

    private static final String REFUSED = "longest-refused";
    private static final String MISTAKEN = "longest-mistaken";
    private static final String MISSPELT = "longest-misspelt";
    private static final String EAR = "longest-ear";

    @ArquillianResource
    private Deployer deployer;

    private static WebArchive with(String name, Class<? extends Extension> operator) {
        return PlainModule.archive(name, operator).addClasses(LongestServlet.class, LongestServlet.Service.class);
    }

    @Deployment(name = LongestServlet.NAME, managed = false, testable = false)
    static WebArchive allowed() {
        return with(LongestServlet.NAME, LongestServlet.Allowing.class);
    }

    @Deployment(name = REFUSED, managed = false, testable = false)
    static WebArchive refused() {
        return with(REFUSED, LongestServlet.Refusing.class);
    }

    @Deployment(name = MISTAKEN, managed = false, testable = false)
    static WebArchive mistaken() {
        return with(MISTAKEN, LongestServlet.Mistaken.class);
    }

    @Deployment(name = MISSPELT, managed = false, testable = false)
    static WebArchive misspelt() {
        return with(MISSPELT, LongestServlet.Allowing.class)
                .addAsResource(new StringAsset("holdfast.keyprefix=shop"), "META-INF/microprofile-config.properties");
    }

    @Deployment(name = EAR, managed = false, testable = false)
    static EnterpriseArchive besideTheAdapter() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "longest.war")
                .addClasses(LongestServlet.class, LongestServlet.Service.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    private String refusal(String application) {
        return ApplicationServer.refusal(() -> deployer.deploy(application), () -> deployer.undeploy(application));
    }

    @Test
    @DisabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "as PlainWarIT")
    void atLeast_thatTheSettingsDoNotAllow_isRefused_andDeployedWhenTheyDo() throws Exception {
        assertThat(refusal(REFUSED))
                .contains("LongestServlet$Service.longest()")
                .contains("atLeast must be at most maxLeaseTtlMillis = 60000 ms, was PT2H")
                .contains("raise maxLeaseTtlMillis");
        deployer.deploy(LongestServlet.NAME);
        try {
            assertThat(new PlainModule(LongestServlet.NAME).post("")).isEqualTo("true");
        } finally {
            deployer.undeploy(LongestServlet.NAME);
        }
    }

    @Test
    @DisabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "as PlainWarIT")
    void settings_thatAreWrong_areAllNamed() {
        assertThat(refusal(MISTAKEN)).contains("HF0101", "ttlMillis", "'soon'", "guard", "'MAYBE'");
    }

    @Test
    @DisabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "as PlainWarIT")
    void setting_thatOnlyMicroProfileConfigHas_andThatIsMisspelt_isNamed() {
        assertThat(refusal(MISSPELT))
                .contains("HF0101", "there is no setting 'holdfast.keyprefix'", "did you mean 'keyPrefix'?");
    }

    /** Payara binds the factory of a RAR in the same EAR after the module is deployed: there each call is refused. */
    @Test
    @EnabledIfSystemProperty(named = "server", matches = "wildfly", disabledReason = "the factory is bound later there")
    void atLeast_thatTheAdapterDoesNotAllow_isRefused() {
        assertThat(refusal(EAR))
                .contains("LongestServlet$Service.longest()")
                .contains("atLeast must be at most maxLeaseTtlMillis = ");
    }
}
