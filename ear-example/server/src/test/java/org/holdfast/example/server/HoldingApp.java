// SPDX-License-Identifier: Apache-2.0
package org.holdfast.example.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.EmptyAsset;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** An application that takes locks and does not give them back, seen from outside. */
final class HoldingApp {

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static EnterpriseArchive ear() throws IOException {
        WebArchive holding = ShrinkWrap.create(WebArchive.class, "holding.war")
                .addClasses(HoldingServlet.class, TransactionalBean.class, Work.class)
                .addAsWebInfResource(EmptyAsset.INSTANCE, "beans.xml");
        return TestEar.withoutShop(References.add(holding, "holdfast"));
    }

    /** Lets it take so many locks and returns the token of the one with that name. */
    long take(String lock, int count) throws IOException, InterruptedException {
        return Long.parseLong(send("POST", "?lock=" + lock + "&count=" + count));
    }

    /** Returns whether it has all of them still. */
    boolean hasAll() throws IOException, InterruptedException {
        return Boolean.parseBoolean(send("GET", ""));
    }

    private String send(String method, String query) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(RealServers.http() + "/" + query))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(60))
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(response.statusCode() + ": " + response.body());
        }
        return response.body();
    }
}
