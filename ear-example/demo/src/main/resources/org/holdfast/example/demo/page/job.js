// SPDX-License-Identifier: Apache-2.0
// The job: which server ran it each time, and which skipped it.

import { launcherNow } from './clock.js';
import { el, icon, list, setAttribute, setText } from './dom.js';
import { moment, seconds } from './format.js';
import { MOST_SERVERS, serverName, serverTag } from './servers.js';

const MOST = 12;

const DEEDS = { ran: ['good', 'good', 'ran'], skipped: ['idle', 'off', 'skipped'], away: ['idle', 'idle', 'not seen'] };

function deed() {
  const sign = icon('idle');
  const word = el('span', { class: 'unseen' });
  const root = el('td', {}, sign.root, word);
  return {
    root,
    update(kind) {
      const [tone, shape, text] = DEEDS[kind];
      setAttribute(root, 'data-deed', kind);
      setAttribute(sign.root, 'data-tone', tone);
      sign.show(shape);
      setText(word, text);
    },
  };
}

/** What a server did in a run. */
const deedOf = (run, server) => (run.server === server ? 'ran' : (run.skippedBy ?? []).includes(server) ? 'skipped' : 'away');

export function jobPanel() {
  const times = el('tr', {}, el('th', { scope: 'col' }, el('span', { class: 'unseen' }, 'server')));
  const body = el('tbody');
  const next = el('p', { class: 'next' });
  const last = el('p', { class: 'quiet foreign' });
  document.getElementById('job').append(
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Runs of the job' },
      el('table', { class: 'matrix' }, el('thead', {}, times), body)),
    el('div', { class: 'below' }, next, el('p', { class: 'key' }, ...Object.values(DEEDS).map(([tone, shape, text]) => {
      const sign = icon(shape);
      setAttribute(sign.root, 'data-tone', tone);
      return el('span', {}, sign.root, text);
    }))),
    last);
  const showTimes = list(times, MOST, () => {
    const root = el('th', { scope: 'col' });
    return { root, update: (run) => setText(root, moment(run.at)) };
  });
  const showRows = list(body, MOST_SERVERS, (server) => {
    const tag = serverTag();
    const root = el('tr', {}, el('th', { scope: 'row' }, tag.root));
    const show = list(root, MOST, deed);
    return { root, update: (runs) => {
      tag.show(server);
      show(runs.map((run) => deedOf(run, server)));
    } };
  });
  let due = null;
  let period = 0;

  const tick = () => setText(next, due === null ? 'The job has not run yet.'
    : `Every ${seconds(period)}. Next run in ${seconds(due - launcherNow())}.`);

  return {
    update({ job, servers = [] }) {
      const runs = (job?.runs ?? []).slice(-MOST);
      showTimes(runs);
      showRows(servers.map(() => runs));
      const newest = runs[runs.length - 1];
      period = job?.period ?? 0;
      due = newest ? newest.at + period : null;
      const skipped = (newest?.skippedBy ?? []).map(serverName).join(', ');
      setText(last, newest ? `Last run: ${serverName(newest.server)} ran it${skipped ? `, ${skipped} skipped it` : ''}.` : '');
      tick();
    },
    tick,
  };
}
