/**
 * A real browser for tests: the Chromium of this machine, driven over its DevTools protocol.
 *
 * <p>It downloads nothing, and needs no driver beside the browser: {@link org.holdfast.example.demo.browser.Chromium}
 * is the process,
 * {@link org.holdfast.example.demo.browser.Tab} what a reader sees and does.
 */
package org.holdfast.example.demo.browser;
