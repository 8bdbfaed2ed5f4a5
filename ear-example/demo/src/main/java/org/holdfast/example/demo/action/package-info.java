/** What people can do to the demo: break processes, place orders, have a holder write too late. */
package org.holdfast.example.demo.action;
