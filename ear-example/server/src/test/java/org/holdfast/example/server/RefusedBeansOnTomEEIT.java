// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Methods of beans that other servers intercept and this one does not: it was seen to run them without their locks. */
@ExtendWith(ArquillianExtension.class)
@EnabledIfSystemProperty(named = "server", matches = "tomee", disabledReason = "others intercept them")
@Timeout(180)
class RefusedBeansOnTomEEIT {

    private static final String LIMITS = "limits";

    @ArquillianResource
    private Deployer deployer;

    @Deployment(name = LIMITS, managed = false, testable = false)
    static EnterpriseArchive limits() throws Exception {
        WebArchive module = ShrinkWrap.create(WebArchive.class, "limits.war")
                .addClasses(
                        BeansWithLimits.class,
                        BeansWithLimits.Working.class,
                        BeansWithLimits.LockedWorking.class,
                        BeansWithLimits.InheritingMethod.class,
                        BeansWithLimits.InheritingBean.class,
                        BeansWithLimits.InheritingEjb.class,
                        BeansWithLimits.NamelessBatchlet.class,
                        BeansWithLimits.WithAName.class);
        return TestEar.withoutShop(References.add(module, "holdfast"));
    }

    /** What it throws ends with what the server has logged meanwhile. */
    private String refusal(String application) {
        return ApplicationServer.refusal(() -> deployer.deploy(application), () -> deployer.undeploy(application));
    }

    @Test
    void beans_thatThisServerDoesNotInterceptAsOthersDo_areNotDeployed() {
        assertThat(refusal(LIMITS))
                .contains("HF0501", "errors that are added by AfterDeploymentValidation")
                .contains("InheritingBean would run", "InheritingEjb would run", "Working.work()")
                .contains("InheritingMethod would run", "LockedWorking.workLocked()")
                .contains("NamelessBatchlet would run without its lock")
                .doesNotContain("WithAName would run");
    }
}
