/** What the page shows: values, their JSON, and the events that people read. */
package org.holdfast.example.demo.state;
