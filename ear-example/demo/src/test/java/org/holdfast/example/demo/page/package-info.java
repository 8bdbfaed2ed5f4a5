/** The page in a real browser: with states that a test plays, and with the real launcher. */
package org.holdfast.example.demo.page;
