// SPDX-License-Identifier: Apache-2.0
// The two runs, side by side on one scale.

import { actionButton, mayAct, notice } from './buttons.js';
import { chip, el, facts, icon, setAttribute, setText } from './dom.js';
import { count, duration, percent, units } from './format.js';

const STATES = { IDLE: ['idle', 'idle', 'not run yet'], RUNNING: ['warn', 'wait', 'running'], DONE: ['idle', 'good', 'done'] };

/** A bar that is as long as its part of the scale, with a red part for units that were not there. */
function bar(label) {
  const plain = el('span', { class: 'part' });
  const over = el('span', { class: 'part over' });
  const value = el('span', { class: 'value' });
  const note = el('span', { class: 'note' });
  const root = el('div', { class: 'bar' },
    el('span', { class: 'label' }, label, note), el('span', { class: 'track' }, plain, over), value);
  return {
    root,
    show(amount, excess, scale) {
      plain.style.width = `${percent(amount - excess, scale)}%`;
      over.style.width = `${percent(excess, scale)}%`;
      setText(value, count(amount));
      setText(note, excess > 0 ? `${count(excess)} were not there` : '');
    },
  };
}

function code(locked) {
  return el('pre', { class: 'code' },
    el('code', {},
      locked ? el('span', { class: 'added' }, '@Locked("stock-#{sku}")') : el('span', { class: 'quiet' }, '// no lock'),
      '\n@Transactional\npublic boolean sell(String sku)'));
}

function run(title, locked) {
  const state = chip();
  const progress = el('progress', { max: 1, value: 0, 'aria-label': `${title}: orders answered` });
  const placed = el('span', { class: 'quiet' });
  const sign = icon('idle');
  const over = el('span', { class: 'figure' });
  const meaning = el('span', { class: 'meaning' });
  const result = el('p', { class: 'result' }, sign.root, over, meaning);
  const sold = bar('sold to customers');
  const taken = bar('taken from the stock');
  const numbers = facts(['sold', 'sold out', 'failed', 'in stock', 'time']);
  const problem = el('p', { class: 'problem foreign' });
  const root = el('article', { class: 'run', 'aria-label': title },
    el('header', {}, el('h3', {}, title), state.root),
    code(locked), result, sold.root, taken.root, numbers.root,
    el('div', { class: 'progress' }, progress, placed), problem);

  // Sold units and the row are no consistent picture before the end: the launcher counts then.
  const judge = ({ state, oversold }) => {
    const known = state === 'DONE' && typeof oversold === 'number';
    const tone = known ? (oversold > 0 ? 'bad' : 'good') : 'idle';
    setAttribute(result, 'data-tone', tone);
    sign.show({ bad: 'warn', good: 'good' }[tone] ?? (state === 'RUNNING' ? 'wait' : 'idle'));
    setText(over, known ? count(oversold) : '–');
    setText(meaning, known && oversold === 1 ? 'unit oversold' : 'units oversold');
  };

  return {
    root,
    update(data, scale) {
      state.show(...(STATES[data.state] ?? ['idle', 'idle', data.state]));
      judge(data);
      const idle = data.state === 'IDLE';
      const gone = idle ? 0 : Math.max(0, data.initial - data.stock);
      sold.show(idle ? 0 : data.sold, Math.max(0, idle ? 0 : data.oversold ?? 0), scale);
      taken.show(gone, 0, scale);
      numbers.show(...(idle ? ['–', '–', '–', '–', '–']
        : [count(data.sold), count(data.soldOut), count(data.failed), count(data.stock), duration(data.millis)]));
      setAttribute(progress, 'max', Math.max(1, data.orders || 1));
      setAttribute(progress, 'value', idle ? 0 : data.placed);
      setText(placed, idle ? 'no orders yet' : `${count(data.placed)} of ${count(data.orders)} orders, ${
        count(data.parallel)} at a time, ${units(data.initial)} in stock at first`);
      setText(problem, data.problem ?? '');
      setAttribute(problem, 'hidden', !data.problem);
    },
  };
}

function tools() {
  const say = notice('load-notice');
  const both = actionButton(say, 'main');
  const locked = actionButton(say);
  const unlocked = actionButton(say);
  both.mean('Run both', 'Run both', 'load/both');
  locked.mean('With the lock', 'Run with the lock', 'load/locked');
  unlocked.mean('Without', 'Run without the lock', 'load/unlocked');
  document.getElementById('load-tools').append(both.root, locked.root, unlocked.root);
}

const NONE = { state: 'IDLE' };

export function ordersPanel() {
  const locked = run('With the lock', true);
  const unlocked = run('Without the lock', false);
  document.getElementById('runs').append(locked.root, unlocked.root);
  if (mayAct()) {
    tools();
  }
  return {
    update({ runs = {} }) {
      const both = [runs.locked ?? NONE, runs.unlocked ?? NONE];
      const scale = Math.max(1, ...both.flatMap(({ state, initial, sold }) => (state === 'IDLE' ? [] : [initial, sold])));
      locked.update(both[0], scale);
      unlocked.update(both[1], scale);
    },
    tick() {},
  };
}
