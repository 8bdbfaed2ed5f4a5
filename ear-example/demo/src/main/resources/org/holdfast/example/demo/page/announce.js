// SPDX-License-Identifier: Apache-2.0
// What a screen reader is told: results and changes of state, never a number that only ticks.

import { setText } from './dom.js';
import { capital, count, duration, nodeName, units } from './format.js';
import { describeNode } from './nodes.js';
import { serverName } from './servers.js';
import { describeWriter } from './stale.js';

const MOST = 4;

const runText = (name, run) => (run.problem ? `${name}: ${run.problem}` : `${name}: ${count(run.sold)} sold, ${
  units(run.oversold)} oversold, in ${duration(run.millis)}.`);

function changes(before, state) {
  const texts = [];
  for (const [key, name] of [['locked', 'With the lock'], ['unlocked', 'Without the lock']]) {
    if (before.runs?.[key]?.state === 'RUNNING' && state.runs?.[key]?.state === 'DONE') {
      texts.push(runText(name, state.runs[key]));
    }
  }
  if (before.staleWriter?.state === 'RUNNING' && state.staleWriter?.state !== 'RUNNING') {
    texts.push(`Stale writer: ${describeWriter(state.staleWriter)[2]}.`);
  }
  (state.nodes ?? []).forEach((node, i) => {
    if (before.nodes?.[i] && before.nodes[i].state !== node.state) {
      texts.push(`${capital(nodeName(node.index))}: ${describeNode(node)[2]}.`);
    }
  });
  (state.servers ?? []).forEach((server, i) => {
    if (before.servers?.[i] && before.servers[i].process !== server.process) {
      texts.push(`${serverName(i)}: ${String(server.process).toLowerCase()}.`);
    }
  });
  return texts.slice(0, MOST);
}

export function announcer() {
  const root = document.getElementById('announcements');
  let before = null;
  return {
    update(state) {
      const texts = before && before.now <= state.now ? changes(before, state) : [];
      before = state;
      if (texts.length > 0) {
        setText(root, texts.join(' '));
      }
    },
    say: (text) => setText(root, text),
    tick() {},
  };
}
