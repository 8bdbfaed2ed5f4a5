// SPDX-License-Identifier: Apache-2.0
// Events, newest first.

import { el, icon, list, setAttribute, setText } from './dom.js';
import { moment } from './format.js';

const MOST = 100;

const LEVELS = { INFO: ['idle', 'idle', ''], WARN: ['warn', 'warn', 'warning: '], BAD: ['bad', 'bad', 'bad: '] };

const KINDS = { NODE: 'node', SERVER: 'server', LOCK: 'lock', LOAD: 'orders', JOB: 'job' };

function row() {
  const at = el('span', { class: 'at' });
  const sign = icon('idle');
  const level = el('span', { class: 'unseen' });
  const kind = el('span', { class: 'kind' });
  const text = el('span', { class: 'foreign' });
  const root = el('li', {}, at, sign.root, kind, level, text);
  return {
    root,
    update(event) {
      const [tone, shape, word] = LEVELS[event.level] ?? LEVELS.INFO;
      setAttribute(root, 'data-tone', tone);
      setText(at, moment(event.at));
      sign.show(shape);
      setText(level, word);
      setText(kind, KINDS[event.kind] ?? event.kind);
      setText(text, event.text);
    },
  };
}

export function logPanel() {
  const rows = el('ol', { class: 'log' });
  const none = el('p', { class: 'quiet' }, 'Nothing has happened yet.');
  document.getElementById('events').append(
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Events, newest first' }, rows, none));
  const show = list(rows, MOST, row);
  return {
    update({ events = [] }) {
      show(events.slice(-MOST).reverse());
      setAttribute(none, 'hidden', events.length > 0);
    },
    tick() {},
  };
}
