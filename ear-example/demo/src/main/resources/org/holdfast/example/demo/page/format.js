// SPDX-License-Identifier: Apache-2.0
// Numbers and times as text.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const one = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** 1,234, or a dash where there is no number. */
export const count = (value) => (isNumber(value) ? whole.format(value) : '–');

/** 0.4 ms, 31 ms, 1.3 s. */
export function duration(millis) {
  if (!isNumber(millis)) {
    return '–';
  }
  if (millis < 10) {
    return `${one.format(millis)} ms`;
  }
  return millis < 1000 ? `${whole.format(millis)} ms` : `${one.format(millis / 1000)} s`;
}

/** Whole seconds that are still to go, never less than none. */
export const seconds = (millis) => `${Math.max(0, Math.ceil(millis / 1000))} s`;

/** Minutes and seconds since the start of the launcher. */
export function moment(millis) {
  if (!isNumber(millis)) {
    return '–';
  }
  const all = Math.max(0, Math.floor(millis / 1000));
  return `${Math.floor(all / 60)}:${String(all % 60).padStart(2, '0')}`;
}

/** As the launcher names it in events and answers. */
export const nodeName = (index) => `node ${index}`;

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** "1 unit", "2 units". */
export const units = (value) => `${count(value)} ${value === 1 ? 'unit' : 'units'}`;

/** The part of a whole in percent, between 0 and 100. */
export const percent = (part, all) => (all > 0 && isNumber(part) ? Math.min(100, Math.max(0, (100 * part) / all)) : 0);
