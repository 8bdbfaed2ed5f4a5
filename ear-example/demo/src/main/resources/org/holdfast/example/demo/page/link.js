// SPDX-License-Identifier: Apache-2.0
// Whether what the page shows is the present: the state of the connection, in words.

import { age, isStale } from './clock.js';
import { chip, setAttribute } from './dom.js';
import { seconds } from './format.js';

/** @param say announces a change to a screen reader */
export function linkStatus(say) {
  const state = chip();
  document.getElementById('link').append(state.root);
  let status = 'first';
  let shown = 'first';

  const old = () => (Number.isFinite(age()) ? `, what you see is ${seconds(age())} old` : '');
  const describe = () => {
    if (status === 'lost') {
      return ['lost', 'bad', 'bad', `connection lost, retrying${old()}`];
    }
    if (status === 'unreadable') {
      return ['unreadable', 'bad', 'warn', 'the launcher sent what this page cannot read'];
    }
    if (status === 'first') {
      return ['first', 'warn', 'wait', 'connecting'];
    }
    return isStale() ? ['silent', 'warn', 'warn', `no news${old()}`] : ['open', 'good', 'run', 'live'];
  };

  const tick = () => {
    const [now, tone, shape, text] = describe();
    state.show(tone, shape, text);
    setAttribute(document.body, 'data-link', now);
    if (now !== shown) {
      if (now !== 'first' && shown !== 'first') {
        say(now === 'open' ? 'Connected again.' : `${text}.`);
      }
      shown = now;
    }
  };

  return {
    set(next) {
      status = next;
      tick();
    },
    tick,
  };
}
