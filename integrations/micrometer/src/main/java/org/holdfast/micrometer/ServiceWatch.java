// SPDX-License-Identifier: Apache-2.0
package org.holdfast.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ListenerNotFoundException;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.MalformedObjectNameException;
import javax.management.Notification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Gives one registry the meters of each lock service of the JVM, from when it begins until it stops. All that is bound
 * to the registry shares one: a registry has each meter once, so with a watch for each the first that closes would
 * remove the meters of the others.
 *
 * <p>The MBean server of the JVM has this listener, and with it the class loader of the application, until {@link
 * #close()}. A registry that was closed, or is gone, ends it too: when the next service begins or stops.
 */
final class ServiceWatch implements NotificationListener, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(ServiceWatch.class.getName());
    private static final ObjectName SERVICES = services();

    /** A watch has but a weak reference to its registry. Is locked before a watch, never after it. */
    private static final Map<MeterRegistry, ServiceWatch> SHARED = new WeakHashMap<>();

    private final MBeanServer server;
    private final WeakReference<MeterRegistry> registry;
    private final Map<ObjectName, ServiceMeters> byName = new HashMap<>();
    private boolean closed;

    /** How many have to close it; guarded by all watches. */
    private int users;

    private ServiceWatch(MBeanServer server, MeterRegistry registry) {
        this.server = server;
        this.registry = new WeakReference<>(registry);
    }

    private static ObjectName services() {
        try {
            return new ObjectName("org.holdfast:type=LockService,*");
        } catch (MalformedObjectNameException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Returns the watch of a registry, which each caller has to close once.
     *
     * @throws IllegalStateException if the MBean server does not tell of its beans
     */
    static ServiceWatch of(MeterRegistry registry) {
        synchronized (SHARED) {
            ServiceWatch watch = SHARED.get(registry);
            if (watch == null || watch.isOver()) {
                watch = new ServiceWatch(ManagementFactory.getPlatformMBeanServer(), registry);
                watch.begin();
                SHARED.put(registry, watch);
            }
            watch.users++;
            return watch;
        }
    }

    private void begin() {
        try {
            server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, this, null, null);
        } catch (InstanceNotFoundException e) {
            throw new IllegalStateException("the MBean server has no delegate", e);
        }
        server.queryNames(SERVICES, null).forEach(this::update);
    }

    boolean isOver() {
        MeterRegistry metrics = registry.get();
        return metrics == null || metrics.isClosed();
    }

    /** Runs on the thread that begins or stops a service, which must not fail for its meters. */
    @Override
    public void handleNotification(Notification notification, @Nullable Object handback) {
        if (!(notification instanceof MBeanServerNotification news) || !SERVICES.apply(news.getMBeanName())) {
            return;
        }
        if (isOver()) {
            end();
        } else {
            update(news.getMBeanName());
        }
    }

    /** By what the server has now: two notifications may come in another order than what they tell of. */
    private synchronized void update(ObjectName name) {
        try {
            if (closed || !server.isRegistered(name)) {
                remove(name);
            } else if (!byName.containsKey(name)) {
                add(name);
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "the meters of " + name + " are not complete", e);
        }
    }

    private void add(ObjectName name) {
        ServiceMeters meters = new ServiceMeters(new LockServiceBean(server, name), registry);
        byName.put(name, meters); // also if the registry refuses some of them: the others are to be removed
        meters.register();
    }

    private void remove(ObjectName name) {
        ServiceMeters meters = byName.remove(name);
        if (meters != null) {
            meters.remove();
        }
    }

    /** Removes the meters and the listener, if no other user is left or the registry is closed. */
    @Override
    public void close() {
        synchronized (SHARED) {
            users--;
            if (users > 0 && !isOver()) {
                return;
            }
            SHARED.values().remove(this);
        }
        end();
    }

    private void end() {
        try {
            server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, this);
        } catch (ListenerNotFoundException e) {
            // closed already
        } catch (JMException e) {
            LOG.log(System.Logger.Level.WARNING, "the MBean server keeps a listener of the application", e);
        }
        removeAll();
    }

    private synchronized void removeAll() {
        closed = true;
        byName.values().forEach(ServiceMeters::remove);
        byName.clear();
    }
}
