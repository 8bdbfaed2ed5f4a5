/** Real processes for tests and the demo: redis-server, started, killed, paused and started again. Not shipped. */
package org.holdfast.testkit;
