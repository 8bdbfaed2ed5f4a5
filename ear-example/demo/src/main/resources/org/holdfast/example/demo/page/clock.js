// SPDX-License-Identifier: Apache-2.0
// The launcher's clock, estimated between two states. It stands still when states stop coming, and so does all that moves.

const SILENCE = 3000;
const RUN_ON = 1500;

let offset = null;
let last = 0;
let heard = -Infinity;

/** A state has come. Small differences are those of the way, and are evened out; large ones are another launcher. */
export function heardAt(now) {
  heard = performance.now();
  const next = now - heard;
  offset = offset === null || Math.abs(next - offset) > 300 ? next : offset + (next - offset) / 5;
  last = now;
}

/** Milliseconds of the launcher's clock. */
export const launcherNow = () => (offset === null ? 0 : Math.min(performance.now() + offset, last + RUN_ON));

/** Milliseconds since the last state came. */
export const age = () => performance.now() - heard;

/** The launcher promises a state every second. */
export const isStale = () => age() > SILENCE;

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** Calls back in each frame; once a second for a reader who asked for less motion. */
export function eachFrame(callback) {
  let lastRun = 0;
  const step = (at) => {
    if (!reduced.matches || at - lastRun >= 1000) {
      lastRun = at;
      callback();
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
