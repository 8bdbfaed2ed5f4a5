/** A WildFly process for the example, and the demo that people can look at and break. Not shipped. */
package org.holdfast.example.server;
