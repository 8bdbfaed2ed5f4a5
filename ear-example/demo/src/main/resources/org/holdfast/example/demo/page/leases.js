// SPDX-License-Identifier: Apache-2.0
// The time line of the leases, one lane for each server.

import { el, icon, list, setAttribute, setText, svg, token } from './dom.js';
import { count, duration } from './format.js';
import { inOrder, judge, newest } from './history.js';
import { magnifier, overview } from './strips.js';
import { MOST_SERVERS, serverName, serverTag } from './servers.js';

const MOST = 300;
const ROWS = 8;

/** Names of the lanes, as high as these. */
function laneNames() {
  const root = el('div', { class: 'lane-names' });
  const show = list(root, MOST_SERVERS, () => {
    const tag = serverTag();
    return { root: el('div', { class: 'lane-name' }, tag.root), update: (server, i) => tag.show(i) };
  });
  return { root, show };
}

function verdict() {
  const root = document.getElementById('verdict');
  const sign = icon('idle');
  const text = el('span');
  root.append(sign.root, text);
  const show = (tone, shape, words) => {
    setAttribute(root, 'data-tone', tone);
    sign.show(shape);
    setText(text, words);
  };
  return (leases) => {
    const { overlaps, falls } = judge(leases);
    if (leases.length === 0) {
      show('idle', 'idle', 'No lease in the last 30 seconds. Run the orders to see some.');
    } else if (overlaps + falls === 0) {
      show('good', 'good', `${count(leases.length)} ${leases.length === 1 ? 'lease' : 'leases'}: no two at the same time, every token larger than the one before.`);
    } else {
      show('bad', 'bad', `${count(leases.length)} leases: ${count(overlaps)} began before another had ended, ${count(falls)} tokens were not larger than the one before.`);
    }
  };
}

/** The same as text, for readers who want numbers. Filled only while it is open. */
function table() {
  const body = el('tbody');
  const root = el('details', { class: 'numbers' },
    el('summary', {}, 'The newest leases in numbers'),
    el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The newest leases in numbers' },
      el('table', {},
        el('thead', {}, el('tr', {}, ...['server', 'token', 'more than the one before', 'held for'].map((name) => el('th', { scope: 'col' }, name)))),
        body)));
  const showRows = list(body, ROWS, () => {
    const tag = serverTag();
    const number = token();
    const more = el('td');
    const length = el('td');
    return {
      root: el('tr', {}, el('td', {}, tag.root), el('td', {}, number.root), more, length),
      update({ lease, before }) {
        tag.show(lease.server);
        number.show(lease.token);
        setText(more, before ? `+${count(lease.token - before.token)}` : '–');
        setText(length, lease.to === null ? 'held' : duration(lease.to - lease.from));
      },
    };
  });
  return {
    root,
    update(leases) {
      if (root.open) {
        showRows(leases.map((lease, i) => ({ lease, before: leases[i - 1] })).slice(-ROWS).reverse());
      }
    },
  };
}

export function leasesPanel() {
  const names = laneNames();
  const moreNames = laneNames();
  const moving = overview();
  const close = magnifier();
  const funnel = svg('polygon', { class: 'funnel' });
  const link = svg('svg', { class: 'link-strip', height: 16, 'aria-hidden': 'true' }, funnel);
  const plot = el('div', { class: 'plot' }, moving.root);
  const tokens = el('div', { class: 'lane-name tokens quiet' }, 'tokens rise');
  const numbers = table();
  document.getElementById('leases').append(
    el('div', { class: 'strips' },
      names.root, plot,
      el('div', { class: 'quiet between' }, 'magnified'), link,
      el('div', {}, moreNames.root, tokens), close.root),
    numbers.root);
  const showVerdict = verdict();
  let last = null;
  let width = 0;

  const aim = (range) => setAttribute(funnel, 'points', range
    ? `${range.from.toFixed(1)},0 ${range.to.toFixed(1)},0 ${width},16 0,16` : '');

  const draw = () => {
    if (!last || width === 0) {
      return;
    }
    const servers = (last.servers ?? []).slice(0, MOST_SERVERS);
    const leases = inOrder((last.leases ?? []).slice(-MOST));
    const few = newest(leases);
    const window = few.length === 0 ? null : { from: few[0].from, to: Math.max(...few.map((lease) => lease.to ?? last.now)) };
    names.show(servers);
    moreNames.show(servers);
    setAttribute(link, 'viewBox', `0 0 ${width} 16`);
    setAttribute(link, 'width', width);
    aim(moving.update(leases, servers, last.now, width, window));
    close.update(few, servers, window, width);
    setAttribute(moving.root, 'aria-label', `${count(leases.length)} leases of the last 30 seconds, by server`);
    setAttribute(close.root, 'aria-label', few.length === 0 ? 'No lease'
      : `The newest ${count(few.length)} leases, the last by ${serverName(few[few.length - 1].server)}`);
    showVerdict(leases);
    numbers.update(leases);
  };

  new ResizeObserver(([{ contentRect }]) => {
    width = Math.floor(contentRect.width);
    draw();
  }).observe(plot);

  return {
    update(state) {
      last = state;
      draw();
    },
    tick: () => aim(moving.tick()),
  };
}
