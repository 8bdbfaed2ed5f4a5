// SPDX-License-Identifier: Apache-2.0
// Redis nodes: who votes, and if not, why and until when.

import { actionButton, mayAct, notice } from './buttons.js';
import { launcherNow } from './clock.js';
import { chip, el, icon, list, setAttribute, setText } from './dom.js';
import { capital, count, nodeName, percent, seconds } from './format.js';

const MOST = 9;

const STATES = {
  VOTING: ['good', 'good', 'votes'],
  QUARANTINE: ['warn', 'wait', 'quarantine'],
  UNREACHABLE: ['bad', 'bad', 'unreachable'],
  REFUSED: ['bad', 'off', 'refused'],
};

const PROCESSES = { RUNNING: '', PAUSED: ' paused', STOPPED: ' stopped', STARTING: ' starting' };

export const describeNode = (node) => STATES[node.state] ?? ['idle', 'idle', String(node.state).toLowerCase()];

function row(say) {
  const state = chip();
  const name = el('span', { class: 'name' });
  const address = el('span', { class: 'mono quiet foreign' });
  const process = el('span', { class: 'quiet foreign' });
  const reason = el('span', { class: 'foreign reason' });
  const until = el('span', { class: 'until' });
  const buttons = mayAct() ? [actionButton(say), actionButton(say), actionButton(say, 'quiet danger')] : [];
  const root = el('li', { class: 'row node' },
    el('div', { class: 'who' }, name, address),
    el('div', { class: 'state' }, state.root, process),
    el('p', { class: 'why' }, reason, until),
    buttons.length ? el('div', { class: 'buttons' }, ...buttons.map((button) => button.root)) : '');
  let node = null;
  return {
    root,
    update(next) {
      node = next;
      setAttribute(root, 'data-state', node.state);
      setText(name, capital(nodeName(node.index)));
      setText(address, node.address);
      state.show(...describeNode(node));
      setText(process, `process${node.pid ? ` ${node.pid}` : ''}${PROCESSES[node.process] ?? ` ${node.process}`}`);
      // The chip has said so already.
      setText(reason, capital(String(node.reason ?? '').replace(/^in quarantine: /, '')));
      this.tick();
      if (buttons.length) {
        show(buttons, node);
      }
    },
    tick() {
      const left = node.until === null || node.until === undefined ? null : node.until - launcherNow();
      setText(until, left === null ? '' : `votes again in ${seconds(left)}`);
    },
  };
}

function show([first, flush, kill], node) {
  const name = nodeName(node.index);
  const path = `nodes/${node.index}`;
  const running = node.process === 'RUNNING';
  const paused = node.process === 'PAUSED';
  const begins = node.process === 'STARTING' ? `${capital(name)} is starting.` : '';
  if (node.process === 'STOPPED') {
    first.mean('Start', `Start ${name}`, `${path}/start`);
  } else if (paused) {
    first.mean('Resume', `Resume ${name}`, `${path}/resume`);
  } else {
    first.mean('Pause', `Pause ${name}`, `${path}/pause`, begins);
  }
  const notRunning = running ? '' : begins || `${capital(name)} is ${paused ? 'paused' : 'stopped'}.`;
  flush.mean('Flush', `Flush ${name}`, `${path}/flush`, notRunning);
  kill.mean('Kill', `Kill ${name}`, `${path}/kill`, running || paused ? '' : notRunning);
}

/** How many vote, and how many must: as a bar that has to reach a mark. */
function quorumBar(root) {
  const parts = el('div', { class: 'votes', 'aria-hidden': 'true' });
  const mark = el('div', { class: 'majority', 'aria-hidden': 'true' });
  const sign = icon('good');
  const text = el('span');
  root.append(el('div', { class: 'gauge' }, parts, mark), el('p', { class: 'enough' }, sign.root, text));
  const show = list(parts, MOST, () => {
    const part = el('span');
    return { root: part, update: (votes) => setAttribute(part, 'data-votes', String(votes)) };
  });
  return (nodes, quorum) => {
    const votes = nodes.filter((node) => node.vote === 'YES').length;
    const enough = votes >= quorum;
    show(nodes.map((node, i) => i < votes));
    mark.style.left = `${percent(quorum, nodes.length)}%`;
    setAttribute(root, 'data-tone', enough ? 'good' : 'bad');
    sign.show(enough ? 'good' : 'bad');
    setText(text, `${count(votes)} of ${count(nodes.length)} vote, ${count(quorum)} must: ${enough
      ? 'locks can be taken.' : 'no lock can be taken.'}`);
  };
}

export function nodesPanel() {
  const say = notice('nodes-notice');
  const rows = [];
  const show = list(document.getElementById('nodes'), MOST, (i) => (rows[i] = row(say)));
  const showQuorum = quorumBar(document.getElementById('quorum'));
  let length = 0;
  return {
    update({ nodes = [], quorum = 0 }) {
      length = Math.min(nodes.length, MOST);
      show(nodes);
      showQuorum(nodes, quorum);
    },
    tick: () => rows.slice(0, length).forEach((each) => each.tick()),
  };
}
