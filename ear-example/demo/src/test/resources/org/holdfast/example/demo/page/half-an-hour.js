// SPDX-License-Identifier: Apache-2.0
// Plays half an hour of states, five a second, as fast as the page shows them, and evaluates to how many nodes and bytes the page
// had on its way: after each three minutes. Expects "first", a state, and "feed", which hands a state to the page.
(async () => {
  const sizes = [];
  const states = 30 * 60 * 5;
  const leases = [];
  const events = [];
  const runs = [];
  for (let i = 1; i <= states; i++) {
    const now = first.now + i * 200;
    for (let each = 0; each < 40; each++) {
      const from = now - 200 + each * 5;
      leases.push({ server: (i + each) % 2, token: 1e15 + i * 1000 + each, from, to: from + 4 });
    }
    leases.splice(0, Math.max(0, leases.length - 300));
    if (i % 3 === 0) {
      events.push({ at: now, kind: 'NODE', level: ['INFO', 'WARN', 'BAD'][i % 3], text: `event ${i}` });
      events.splice(0, Math.max(0, events.length - 100));
    }
    if (i % 50 === 0) {
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
    if (i % 20 === 0) {
      await new Promise((done) => requestAnimationFrame(done));
    }
    if (i % (states / 10) === 0) {
      sizes.push(document.querySelectorAll('*').length);
    }
  }
  return sizes.join(' ');
})();
