/**
 * Receives the releases that nodes publish.
 *
 * <p>Read {@link org.holdfast.redis.releases.Subscriber} first, then {@code SubscriberConnection} and {@code
 * ReleaseChannels}.
 */
@NullMarked
package org.holdfast.redis.releases;

import org.jspecify.annotations.NullMarked;
