// SPDX-License-Identifier: Apache-2.0
// The stale writer, step by step, and the two tokens that the row compares.

import { actionButton, mayAct, notice } from './buttons.js';
import { chip, el, icon, list, setAttribute, setText, token } from './dom.js';
import { capital, moment } from './format.js';

const MOST = 8;

const STATES = {
  IDLE: ['idle', 'idle', 'not run yet'],
  RUNNING: ['warn', 'wait', 'running'],
  REFUSED: ['good', 'good', 'refused by the row'],
  ACCEPTED: ['bad', 'bad', 'accepted: the row took a stale write'],
  FAILED: ['warn', 'warn', 'did not run to its end'],
};

/** What will happen, before it does. */
const PLAN = [
  'One server takes the lock, reads the row, and is frozen.',
  'Its lease ends, because it is not renewed.',
  'Another server takes the lock and writes the row.',
  'The first server is thawed. It believes that it has the lock, and writes.',
  'The row refuses: the token of this write is smaller than the last one.',
].map((text) => ({ text }));

export const describeWriter = (writer) => STATES[writer.state] ?? ['idle', 'idle', String(writer.state)];

function stepRow() {
  const sign = icon('good');
  const at = el('span', { class: 'at' });
  const text = el('span', { class: 'foreign' });
  const root = el('li', {}, sign.root, text, at);
  return {
    root,
    update({ step, tone, shape }) {
      sign.show(shape);
      setAttribute(sign.root, 'data-tone', tone);
      setAttribute(root, 'class', tone === 'idle' ? 'quiet' : null);
      setText(text, capital(String(step.text)));
      setText(at, 'at' in step ? moment(step.at) : '');
    },
  };
}

/** The steps, with what became of each: all but the last have been done, and the last one is as the whole. */
function stepsOf(writer) {
  const [tone, shape] = describeWriter(writer);
  const told = writer.steps?.length ? writer.steps : [{ at: writer.at, text: writer.step }];
  if (writer.state === 'IDLE' || !told[0].text) {
    return PLAN.map((step) => ({ step, tone: 'idle', shape: 'idle' }));
  }
  const last = told.length - 1;
  return told.map((step, i) => (i === last ? { step, tone, shape } : { step, tone: 'good', shape: 'good' })).slice(-MOST);
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
      showSteps(stepsOf(writer));
      const [staleToken, rowToken] = writer.state === 'IDLE' ? [] : [writer.staleToken, writer.rowToken];
      stale.show(staleToken || null);
      row.show(rowToken || null);
      setText(sign, staleToken && rowToken ? (staleToken < rowToken ? '<' : '≥') : '…');
    },
    tick() {},
  };
}
