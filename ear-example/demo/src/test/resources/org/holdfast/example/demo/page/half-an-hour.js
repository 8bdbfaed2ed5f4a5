// SPDX-License-Identifier: Apache-2.0
// Evaluates to a function that plays the next three minutes of states, one a second, as fast as the page shows them, and returns
// how many elements the page has then. Expects "first", a state, and "feed", which hands a state to the page.
(() => {
  const leases = [];
  const events = [];
  const runs = [];
  let i = 0;
  const next = () => {
    i++;
    const now = first.now + i * 1000;
    for (let each = 0; each < 40; each++) {
      const from = now - 1000 + each * 25;
      leases.push({ server: (i + each) % 2, token: 1e15 + i * 1000 + each, from, to: from + 20 });
    }
    leases.splice(0, Math.max(0, leases.length - 300));
    if (i % 3 === 0) {
      events.push({ at: now, kind: 'NODE', level: ['INFO', 'WARN', 'BAD'][i % 3], text: `event ${i}` });
      events.splice(0, Math.max(0, events.length - 100));
    }
    if (i % 10 === 0) {
      runs.push({ server: i % 2, at: now, token: i, skippedBy: [(i + 1) % 2] });
      runs.splice(0, Math.max(0, runs.length - 12));
    }
    const node = (i >> 4) % 5;
    feed({
      ...first,
      now,
      nodes: first.nodes.map((each, n) => (n === node ? { ...each, state: ['QUARANTINE', 'UNREACHABLE'][i % 2], reason: `reason ${i}`, until: now + i } : each)),
      lock: { ...first.lock, holder: i % 4 === 0 ? null : { server: i % 2, token: 1e15 + i, remainingMillis: 4000, ttlMillis: 5000, nodes: 5 }, waiters: i % 30 },
      leases,
      runs: { ...first.runs, locked: { ...first.runs.locked, state: ['RUNNING', 'DONE'][(i >> 6) % 2], placed: i % 300, oversold: null } },
      job: { period: 10000, runs },
      staleWriter: { state: ['IDLE', 'RUNNING', 'REFUSED'][(i >> 5) % 3], step: '', staleToken: i, rowToken: i + 1, at: now,
        steps: [...Array(i % 8).keys()].map((step) => ({ at: now, text: `step ${step} of ${i}` })) },
      events,
    });
  };
  return async () => {
    for (const end = i + 180; i < end; ) {
      next();
      if (i % 20 === 0) {
        await new Promise((done) => requestAnimationFrame(done));
      }
    }
    return document.querySelectorAll('*').length;
  };
})();
