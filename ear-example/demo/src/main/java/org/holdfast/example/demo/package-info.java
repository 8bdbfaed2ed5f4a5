/**
 * Five Redis nodes, a PostgreSQL, two application servers with the shop, and a live page on which people can break
 * them.
 *
 * <p>{@link org.holdfast.example.demo.Demo} starts all of it. The rooms: {@code process} has what runs, {@code watch}
 * looks at it, {@code action} breaks it, {@code state} is what the page shows, and {@code web} serves that. Not
 * shipped.
 */
package org.holdfast.example.demo;
