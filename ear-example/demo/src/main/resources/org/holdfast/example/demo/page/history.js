// SPDX-License-Identifier: Apache-2.0
// What the leases of the last seconds show: computed here from what the launcher observed, and not taken on trust.

const MAGNIFIED = 40;
const FEW = 8;
const GAP = 1000;

/** Counts leases that began before an earlier one had ended, and tokens that are not larger than the one before. */
export function judge(leases) {
  let overlaps = 0;
  let falls = 0;
  let lastEnd = -Infinity;
  let lastToken = -Infinity;
  for (const { from, to, token } of inOrder(leases)) {
    overlaps += from < lastEnd ? 1 : 0;
    falls += token <= lastToken ? 1 : 0;
    lastEnd = Math.max(lastEnd, to ?? Infinity);
    lastToken = Math.max(lastToken, token);
  }
  return { overlaps, falls };
}

export const inOrder = (leases) => [...leases].sort((a, b) => a.from - b.from || a.token - b.token);

/** The newest leases, back to a pause if there are some after it: what the magnified strip shows. */
export function newest(leases) {
  let first = leases.length - 1;
  while (first > 0 && leases.length - first < MAGNIFIED) {
    const gap = leases[first].from - (leases[first - 1].to ?? leases[first].from);
    if (gap > GAP && leases.length - first >= FEW) {
      break;
    }
    first--;
  }
  return leases.slice(Math.max(0, first));
}

/** A step of 1, 2 or 5 times a power of ten that divides the length into at most that many parts. */
export function step(length, parts) {
  const rough = Math.max(length / parts, 0.001);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999);
}
