// SPDX-License-Identifier: Apache-2.0
// The page: puts the panels together and hands each state to all of them.

import { announcer } from './announce.js';
import { mayAct, takeButtonsAway } from './buttons.js';
import { eachFrame, heardAt } from './clock.js';
import { jobPanel } from './job.js';
import { leasesPanel } from './leases.js';
import { linkStatus } from './link.js';
import { lockPanel } from './lock.js';
import { logPanel } from './log.js';
import { nodesPanel } from './nodes.js';
import { ordersPanel } from './orders.js';
import { serversPanel } from './servers.js';
import { stalePanel } from './stale.js';
import { stream } from './stream.js';

function showWhatReadersMayDo() {
  document.getElementById('tries').hidden = !mayAct();
  document.getElementById('operate').hidden = !mayAct();
  document.getElementById('read-only').hidden = mayAct();
}

showWhatReadersMayDo();
const announcements = announcer();
const link = linkStatus(announcements.say);
// Servers first: their names are used in the other panels.
const panels = [serversPanel(), ordersPanel(), nodesPanel(), lockPanel(), leasesPanel(), stalePanel(), jobPanel(), logPanel(),
  announcements];

stream((state) => {
  if (state.readOnly && mayAct()) {
    takeButtonsAway();
    showWhatReadersMayDo();
  }
  heardAt(state.now);
  panels.forEach((panel) => panel.update(state));
  document.body.setAttribute('data-ready', '');
}, link.set);

eachFrame(() => {
  link.tick();
  panels.forEach((panel) => panel.tick());
});
