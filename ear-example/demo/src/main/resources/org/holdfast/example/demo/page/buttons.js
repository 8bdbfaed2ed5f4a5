// SPDX-License-Identifier: Apache-2.0
// Buttons, and what the launcher answers to them. On a page that is read only there are none.

import { el, setAttribute, setText } from './dom.js';
import { isStale } from './clock.js';
import { capital } from './format.js';

const PATIENCE = 10000;
const PAUSE = 400;

let withButtons = !document.body.hasAttribute('data-read-only');

export const mayAct = () => withButtons;

/** The launcher takes no actions: all buttons go. */
export function takeButtonsAway() {
  withButtons = false;
  document.querySelectorAll('button').forEach((button) => button.remove());
}

async function post(path) {
  try {
    const answer = await fetch(`actions/${path}`, { method: 'POST', signal: AbortSignal.timeout(PATIENCE) });
    return { done: answer.ok, text: (await answer.text()).trim() || `The launcher answered ${answer.status}.` };
  } catch {
    return { done: false, text: 'The launcher did not answer.' };
  }
}

/** Where a panel says what became of an action. */
export function notice(id) {
  const root = document.getElementById(id);
  return (tone, text) => {
    setAttribute(root, 'data-tone', tone);
    setText(root, text);
  };
}

/**
 * A button whose meaning may change with the state: pause and resume are one. It stays the same element, so it keeps the focus.
 *
 * @param say the notice of its panel
 */
export function actionButton(say, kind = 'quiet') {
  const word = el('span');
  const root = el('button', { type: 'button', class: `button ${kind}` }, word);
  let meaning = {};
  let busyUntil = 0;

  root.addEventListener('click', async () => {
    const { path, name, why } = meaning;
    if (performance.now() < busyUntil) {
      return; // the second click of a double click would undo the first
    }
    if (why || isStale()) {
      say('warn', why || 'No connection to the launcher: nothing was sent.');
      return;
    }
    busyUntil = performance.now() + PATIENCE;
    setAttribute(root, 'aria-busy', 'true');
    const { done, text } = await post(path);
    say(done ? 'idle' : 'warn', done ? `${name}: begun.` : `${name}: refused. ${capital(text)}`);
    setAttribute(root, 'aria-busy', null);
    busyUntil = performance.now() + PAUSE;
  });

  return {
    root,
    /** @param why the reason why it cannot be used now, or nothing */
    mean(label, name, path, why = '') {
      meaning = { path, name, why };
      setText(word, label);
      setAttribute(root, 'aria-label', name);
      setAttribute(root, 'aria-disabled', why ? 'true' : null);
    },
  };
}
