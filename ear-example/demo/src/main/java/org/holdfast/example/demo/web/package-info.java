/**
 * The page over HTTP: files, the state as JSON, once or as server-sent events, and actions. For browsers of this
 * machine
 * only.
 */
package org.holdfast.example.demo.web;
