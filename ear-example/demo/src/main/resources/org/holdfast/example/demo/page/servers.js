// SPDX-License-Identifier: Apache-2.0
// Application servers, with what each holds and waits for.

import { actionButton, mayAct, notice } from './buttons.js';
import { chip, el, facts, list, setAttribute, setText, shown } from './dom.js';
import { count, duration } from './format.js';

export const MOST_SERVERS = 8;

const STATES = {
  STARTING: ['warn', 'wait', 'starting'],
  RUNNING: ['good', 'run', 'running'],
  FROZEN: ['warn', 'pause', 'frozen'],
  STOPPED: ['bad', 'off', 'stopped'],
};

let names = [];

/** The name of a server, by its index. A process that is no server of the launcher has none. */
export const serverName = (index) => (index === null || index === undefined ? 'another process'
  : shown(names[index] ?? `server ${index}`));

/** A server's name with its colour, as it stands in several panels. */
export function serverTag() {
  const name = el('span', { class: 'foreign' });
  const root = el('span', { class: 'server-tag' }, name);
  return {
    root,
    show(index) {
      setAttribute(root, 'data-server', index === null || index === undefined ? 'other' : index % 4);
      setText(name, serverName(index));
    },
  };
}

/** A link to the server itself, if the address is one of a web page. */
function address() {
  const root = el('a', { class: 'mono foreign', rel: 'noreferrer' });
  return {
    root,
    show(url) {
      const text = String(url ?? '');
      setAttribute(root, 'href', /^https?:\/\//.test(text) ? text : null);
      setText(root, text.replace(/^https?:\/\//, '').replace(/\/$/, ''));
    },
  };
}

function row(say) {
  const tag = serverTag();
  const where = address();
  const state = chip();
  const pid = el('span', { class: 'quiet' });
  const numbers = facts(['held', 'waiting', 'p50', 'p99', 'orders/s']);
  const buttons = mayAct() ? [actionButton(say), actionButton(say, 'quiet danger')] : [];
  const root = el('li', { class: 'row server' },
    el('div', { class: 'who' }, tag.root, where.root),
    el('div', { class: 'state' }, state.root, pid),
    numbers.root,
    buttons.length ? el('div', { class: 'buttons' }, ...buttons.map((button) => button.root)) : '');
  return {
    root,
    update(server, index) {
      tag.show(index);
      where.show(server.url);
      state.show(...(STATES[server.process] ?? ['idle', 'idle', server.process]));
      setText(pid, server.pid ? `process ${server.pid}` : '');
      numbers.show(count(server.held), count(server.waiting), duration(server.p50Millis), duration(server.p99Millis),
        count(server.ordersPerSecond));
      if (buttons.length) {
        show(buttons, server, index);
      }
    },
  };
}

function show([first, kill], server, index) {
  const name = serverName(index);
  const path = `servers/${index}`;
  const begins = server.process === 'STARTING' ? `${name} is starting.` : '';
  if (server.process === 'STOPPED') {
    first.mean('Start', `Start ${name}`, `${path}/start`);
  } else if (server.process === 'FROZEN') {
    first.mean('Thaw', `Thaw ${name}`, `${path}/thaw`);
  } else {
    first.mean('Freeze', `Freeze ${name}`, `${path}/freeze`, begins);
  }
  kill.mean('Kill', `Kill ${name}`, `${path}/kill`, server.process === 'STOPPED' ? `${name} is stopped.` : begins);
}

export function serversPanel() {
  const say = notice('servers-notice');
  const showRows = list(document.getElementById('servers'), MOST_SERVERS, () => row(say));
  return {
    update({ servers = [] }) {
      names = servers.map((server) => server.name);
      showRows(servers);
    },
    tick() {},
  };
}
