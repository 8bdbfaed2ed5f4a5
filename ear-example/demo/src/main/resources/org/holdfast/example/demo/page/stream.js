// SPDX-License-Identifier: Apache-2.0
// The stream of states. A browser does not retry after every end of a stream, so that is done here.

const RETRY = 2000;

/**
 * Opens the stream, and again after each end.
 *
 * @param onState called with each state; throws if it cannot be shown
 * @param onLink called with "first" while it waits for its first state, then with "open", "lost" or "unreadable"
 */
export function stream(onState, onLink) {
  let source = null;
  let timer = null;

  const read = (event) => {
    try {
      onState(JSON.parse(event.data));
      onLink('open');
    } catch (e) {
      console.error(e);
      onLink('unreadable');
    }
  };

  const open = () => {
    clearTimeout(timer);
    if (source || document.hidden) {
      return;
    }
    source = new EventSource('events');
    source.addEventListener('state', read);
    source.addEventListener('error', () => {
      close();
      onLink('lost');
      timer = setTimeout(open, RETRY);
    });
  };

  const close = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };

  // A browser has six connections for all tabs of a host, and the launcher has eight streams: a hidden tab gives its own back.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      close();
    } else {
      onLink('first');
      open();
    }
  });
  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
  open();
}
