/** What a lock on real nodes must do, whatever those nodes are made of and however many there are. */
package org.holdfast.contract;
