/** What is seen of nodes, locks and servers, from outside of them. */
package org.holdfast.example.demo.watch;
