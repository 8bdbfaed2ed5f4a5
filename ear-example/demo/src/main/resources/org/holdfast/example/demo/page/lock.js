// SPDX-License-Identifier: Apache-2.0
// The holder of the lock, and how long its lease is still valid.

import { launcherNow } from './clock.js';
import { chip, el, setAttribute, setText, token } from './dom.js';
import { count, duration, percent } from './format.js';
import { serverTag } from './servers.js';

export function lockPanel() {
  const name = el('span', { class: 'mono foreign' });
  const state = chip();
  const holder = serverTag();
  const none = el('span', { class: 'quiet' }, 'no holder');
  const number = token();
  const left = el('span', { class: 'left' });
  const part = el('span', { class: 'part' });
  const nodes = el('dd');
  const waiters = el('dd');
  document.getElementById('lock').append(
    el('p', { class: 'lock-name' }, name, state.root),
    el('dl', { class: 'holder' },
      el('div', {}, el('dt', {}, 'held by'), el('dd', {}, holder.root, none)),
      el('div', {}, el('dt', {}, 'token'), el('dd', {}, number.root)),
      el('div', {}, el('dt', {}, 'granted by'), nodes),
      el('div', {}, el('dt', {}, 'waiting'), waiters)),
    el('div', { class: 'validity' },
      el('span', { class: 'label' }, 'remaining validity'), left, el('span', { class: 'track' }, part)));

  let end = null;
  let ttl = 0;
  const tick = () => {
    const remaining = end === null ? 0 : Math.max(0, end - launcherNow());
    part.style.width = `${percent(remaining, ttl)}%`;
    setText(left, end === null ? '–' : `${(remaining / 1000).toFixed(1)} s of ${duration(ttl)}`);
  };

  return {
    update({ lock, now }) {
      const held = lock?.holder ?? null;
      setText(name, lock?.name);
      state.show(held ? 'good' : 'idle', held ? 'run' : 'idle', held ? 'held' : 'free');
      setAttribute(holder.root, 'hidden', !held);
      setAttribute(none, 'hidden', held !== null);
      if (held) {
        holder.show(held.server);
      }
      number.show(held?.token ?? null);
      setText(nodes, held ? `${count(held.nodes)} ${held.nodes === 1 ? 'node' : 'nodes'}` : '–');
      setText(waiters, count(lock?.waiters));
      end = held ? now + held.remainingMillis : null;
      ttl = held?.ttlMillis ?? 0;
      tick();
    },
    tick,
  };
}
