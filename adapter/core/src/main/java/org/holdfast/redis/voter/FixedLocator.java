// SPDX-License-Identifier: Apache-2.0
package org.holdfast.redis.voter;

import java.util.Optional;
import org.holdfast.protocol.guard.NodeFacts;
import org.holdfast.redis.address.FixedAddress;
import org.jspecify.annotations.Nullable;

/** A voter that is always at the same address. */
final class FixedLocator implements Locator {

    private final Place place;

    FixedLocator(FixedAddress address) {
        this.place = new Place(address, 0);
    }

    @Override
    public Place place(long deadline) {
        return place;
    }

    @Override
    public @Nullable String whyOver(int term) {
        return null;
    }

    @Override
    public String describePlace() {
        return "";
    }

    @Override
    public Optional<NodeFacts.Appointment> appointment(int term) {
        return Optional.empty();
    }

    @Override
    public void confirm() {
        // there is nothing to ask
    }

    @Override
    public void close() {
        // nothing is open
    }
}
