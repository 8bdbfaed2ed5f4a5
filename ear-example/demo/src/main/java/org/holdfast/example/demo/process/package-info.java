/** The processes of the demo: what starts, breaks and ends them. */
package org.holdfast.example.demo.process;
