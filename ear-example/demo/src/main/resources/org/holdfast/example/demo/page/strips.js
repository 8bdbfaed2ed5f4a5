// SPDX-License-Identifier: Apache-2.0
// Two drawings of leases: the last 30 seconds, which moves, and the newest leases, magnified. Each has one path for a server,
// however many leases there are.

import { launcherNow } from './clock.js';
import { list, setAttribute, setText, svg } from './dom.js';
import { duration } from './format.js';
import { step } from './history.js';

export const SPAN = 30000;
export const LANE = 30;
const BAR = 18;
const AXIS = 20;
const STAIRS = 80;
const TICKS = 12;
/** A lease that is held goes on to the right edge, which cuts it off. */
const OPEN = 3600000;

const rect = (x, width, lane, least) =>
  `M${x.toFixed(2)} ${lane * LANE + (LANE - BAR) / 2}h${Math.max(least, width).toFixed(2)}v${BAR}h${-Math.max(least, width).toFixed(2)}z`;

function lanes(group, create) {
  return list(group, 8, create);
}

/** Lines and labels of an axis. */
function axis(height) {
  const root = svg('g', { class: 'axis' });
  const show = list(root, TICKS, () => {
    const line = svg('line', { y1: 0, y2: height() });
    const text = svg('text', { 'text-anchor': 'middle' });
    return {
      root: svg('g', {}, line, text),
      update({ x, label, anchor }) {
        setAttribute(line, 'x1', x.toFixed(1));
        setAttribute(line, 'x2', x.toFixed(1));
        setAttribute(line, 'y2', height());
        setAttribute(text, 'x', x.toFixed(1));
        setAttribute(text, 'y', height() + 14);
        setAttribute(text, 'text-anchor', anchor);
        setText(text, label);
      },
    };
  });
  return { root, show };
}

function backdrop(root) {
  const group = svg('g', { class: 'lanes' });
  root.append(group);
  return lanes(group, (i) => {
    const lane = svg('rect', { x: 0, y: i * LANE + 2, height: LANE - 4, rx: 4 });
    return { root: lane, update: (width) => setAttribute(lane, 'width', width) };
  });
}

function bars(group) {
  return lanes(group, (i) => {
    const path = svg('path', { class: 'lease', 'data-server': i % 4 });
    return { root: path, update: (d) => setAttribute(path, 'd', d) };
  });
}

const drawn = (leases, servers, x, scale, lane, least) => {
  const parts = servers.map(() => '');
  for (const { server, from, to } of leases) {
    if (server in parts) {
      parts[server] += rect(x(from), ((to ?? from + OPEN) - from) * scale, lane(server), least);
    }
  }
  return parts;
};

/** The last 30 seconds. Drawn once for each state, and moved to the left in between. */
export function overview() {
  const root = svg('svg', { class: 'strip', role: 'img' });
  const showLanes = backdrop(root);
  let height = LANE;
  const ticks = axis(() => height);
  const moving = svg('g');
  const lens = svg('rect', { class: 'lens', y: 0, rx: 3 });
  root.append(ticks.root, moving, lens);
  const showBars = bars(moving);
  let width = 0;
  let epoch = 0;
  let magnified = null;

  const scale = () => width / SPAN;
  const tick = () => {
    const left = launcherNow() - SPAN;
    setAttribute(moving, 'transform', `translate(${((epoch - left) * scale()).toFixed(2)} 0)`);
    const from = magnified ? Math.max(0, (magnified.from - left) * scale() - 3) : 0;
    const to = magnified ? Math.min(width, (magnified.to - left) * scale() + 3) : 0;
    setAttribute(lens, 'x', from.toFixed(2));
    setAttribute(lens, 'width', Math.max(0, to - from).toFixed(2));
    return magnified ? { from, to } : null;
  };

  return {
    root,
    /** @param window what the other strip magnifies, or null */
    update(leases, servers, now, newWidth, window) {
      width = newWidth;
      height = servers.length * LANE;
      epoch = now;
      magnified = window;
      setAttribute(root, 'viewBox', `0 0 ${width} ${height + AXIS}`);
      setAttribute(root, 'width', width);
      setAttribute(root, 'height', height + AXIS);
      setAttribute(lens, 'height', height);
      showLanes(servers.map(() => width));
      const each = width < 480 ? 10 : 5;
      ticks.show([...Array(SPAN / 1000 / each + 1).keys()].map((i) => ({
        x: (i * each * width * 1000) / SPAN,
        label: i * each === SPAN / 1000 ? 'now' : `−${SPAN / 1000 - i * each} s`,
        anchor: i === 0 ? 'start' : i * each === SPAN / 1000 ? 'end' : 'middle',
      })));
      showBars(drawn(leases, servers, (at) => (at - epoch) * scale(), scale(), (server) => server, 1.5));
      return tick();
    },
    tick,
  };
}

/** The newest leases, with their tokens as a staircase. */
export function magnifier() {
  const root = svg('svg', { class: 'strip', role: 'img' });
  const showLanes = backdrop(root);
  let height = LANE;
  const ticks = axis(() => height);
  const stairs = svg('path', { class: 'stairs' });
  const group = svg('g');
  const dots = svg('g');
  root.append(ticks.root, group, stairs, dots);
  const showBars = bars(group);
  const showDots = lanes(dots, (i) => {
    const path = svg('path', { class: 'dot', 'data-server': i % 4 });
    return { root: path, update: (d) => setAttribute(path, 'd', d) };
  });

  return {
    root,
    update(leases, servers, window, width) {
      const lanesHeight = servers.length * LANE;
      height = lanesHeight + STAIRS;
      setAttribute(root, 'viewBox', `0 0 ${width} ${height + AXIS}`);
      setAttribute(root, 'width', width);
      setAttribute(root, 'height', height + AXIS);
      showLanes(servers.map(() => width));
      const length = window ? Math.max(1, window.to - window.from) : 1;
      const scale = width / length;
      const x = (at) => (at - (window?.from ?? 0)) * scale;
      const each = step(length, width < 480 ? 3 : 6);
      ticks.show(window ? [...Array(Math.min(TICKS, Math.floor(length / each) + 1)).keys()].map((i) => ({
        x: i * each * scale,
        label: i === 0 ? '0' : duration(i * each),
        anchor: i === 0 ? 'start' : i * each * scale > width - 24 ? 'end' : 'middle',
      })) : []);
      showBars(drawn(leases, servers, x, scale, (server) => server, 2));
      drawStairs(leases, servers, x, lanesHeight, width);
    },
  };

  function drawStairs(leases, servers, x, top, width) {
    const tokens = leases.map((lease) => lease.token);
    const low = Math.min(...tokens);
    const range = Math.max(1, Math.max(...tokens) - low);
    const y = (token) => top + STAIRS - 8 - ((token - low) / range) * (STAIRS - 22);
    const marks = servers.map(() => '');
    let line = '';
    for (const { server, from, token } of leases) {
      const [px, py] = [x(from).toFixed(1), y(token).toFixed(1)];
      line += line ? `H${px}V${py}` : `M${px} ${py}`;
      if (server in marks) {
        marks[server] += `M${px} ${py}m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0`;
      }
    }
    setAttribute(stairs, 'd', line ? `${line}H${width}` : '');
    showDots(marks);
  }
}
