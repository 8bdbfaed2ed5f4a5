/**
 * A shop whose stock must not be oversold.
 *
 * <p>{@link org.holdfast.example.shop.Shop} is what to look at: the same three steps (read, check, write) with a lock
 * and without. The rest is REST and JPA.
 */
package org.holdfast.example.shop;
