/** A WildFly process for the example: for its tests and for the demo. Not shipped. */
package org.holdfast.example.server;
