// SPDX-License-Identifier: Apache-2.0
// The stale writer, step by step, and the two tokens that the row compares.

import { actionButton, mayAct, notice } from './buttons.js';
import { chip, el, icon, list, setAttribute, setText, token } from './dom.js';
import { moment } from './format.js';

const MOST = 8;

const STATES = {
  IDLE: ['idle', 'idle', 'not run yet'],
  RUNNING: ['warn', 'wait', 'running'],
  REFUSED: ['good', 'good', 'refused by the row'],
  ACCEPTED: ['bad', 'bad', 'accepted: the row took a stale write'],
  FAILED: ['warn', 'warn', 'did not run to its end'],
};

const SIGNS = { REFUSED: '<', ACCEPTED: '?', RUNNING: '…' };

export const describeWriter = (writer) => STATES[writer.state] ?? ['idle', 'idle', String(writer.state)];

function stepRow() {
  const sign = icon('good');
  const at = el('span', { class: 'at' });
  const text = el('span', { class: 'foreign' });
  return {
    root: el('li', {}, sign.root, text, at),
    update({ step, done, tone }) {
      sign.show(done ? 'good' : tone === 'bad' ? 'bad' : 'wait');
      setAttribute(sign.root, 'data-tone', done ? 'good' : tone);
      setText(text, step.text);
      setText(at, moment(step.at));
    },
  };
}

export function stalePanel() {
  const state = chip();
  const steps = el('ol', { class: 'steps' });
  const showSteps = list(steps, MOST, stepRow);
  const stale = token();
  const row = token();
  const sign = el('span', { class: 'compare' });
  document.getElementById('stale').append(
    el('p', { class: 'outcome' }, state.root),
    steps,
    el('dl', { class: 'tokens-compared' },
      el('div', {}, el('dt', {}, 'token of the writer'), el('dd', {}, stale.root)),
      el('div', { class: 'sign' }, sign),
      el('div', {}, el('dt', {}, 'largest token in the row'), el('dd', {}, row.root))));
  if (mayAct()) {
    const button = actionButton(notice('stale-notice'), 'main');
    button.mean('Run the stale writer', 'Run the stale writer', 'stale-writer');
    document.getElementById('stale-tools').append(button.root);
  }
  return {
    update({ staleWriter }) {
      const writer = staleWriter ?? { state: 'IDLE' };
      const [tone, shape, word] = describeWriter(writer);
      state.show(tone, shape, word);
      const told = writer.steps ?? (writer.step ? [{ at: writer.at, text: writer.step }] : []);
      const ended = writer.state !== 'RUNNING';
      showSteps(told.slice(-MOST).map((step, i, all) => {
        const last = i === all.length - 1;
        return { step, done: !last || (ended && writer.state === 'REFUSED'), tone };
      }));
      setAttribute(steps, 'hidden', told.length === 0);
      const compared = writer.state !== 'IDLE' && writer.staleToken && writer.rowToken;
      stale.show(writer.state === 'IDLE' ? null : writer.staleToken || null);
      row.show(writer.state === 'IDLE' ? null : writer.rowToken || null);
      setText(sign, compared ? SIGNS[writer.state] ?? '…' : '…');
    },
    tick() {},
  };
}
