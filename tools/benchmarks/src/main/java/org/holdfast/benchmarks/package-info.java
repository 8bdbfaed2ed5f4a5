/** Load programs that measure Holdfast beside others, as ratios within one run. Not shipped. */
package org.holdfast.benchmarks;
