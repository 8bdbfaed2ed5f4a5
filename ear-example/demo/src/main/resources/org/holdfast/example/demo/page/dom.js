// SPDX-License-Identifier: Apache-2.0
// Elements are made here and nowhere else, and text gets in as text only: what the launcher sends is never read as HTML.

const SVG = 'http://www.w3.org/2000/svg';
const LONGEST = 300;

/** Makes an element. Attributes whose value is null or false are left out; children are nodes or text. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    setAttribute(node, name, value);
  }
  node.append(...children);
  return node;
}

/** An icon of index.html. It says nothing to screen readers: a word always stands beside it. */
export function icon(name) {
  const use = svg('use', { href: `#i-${name}` });
  const root = svg('svg', { class: 'icon', 'aria-hidden': 'true', focusable: 'false' }, use);
  return { root, show: (next) => setAttribute(use, 'href', `#i-${next}`) };
}

/** Sets a text, and touches the page only if it is another one. */
export function setText(node, value) {
  const text = shown(value);
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) {
      node.removeAttribute(name);
    }
  } else {
    const text = value === true ? '' : String(value);
    if (node.getAttribute(name) !== text) {
      node.setAttribute(name, text);
    }
  }
}

/** What a reader can take in: a text that is too long ends with dots. */
export function shown(value) {
  const text = value === null || value === undefined ? '–' : String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/**
 * Keeps one view for each item, in their order. A view has a root and a method update(item, index).
 * Views are reused, so that the page does not grow and the focus stays where it is.
 */
export function list(parent, most, create) {
  const views = [];
  return (items) => {
    const few = items.slice(0, most);
    while (views.length < few.length) {
      const view = create(views.length);
      views.push(view);
      parent.append(view.root);
    }
    while (views.length > few.length) {
      views.pop().root.remove();
    }
    few.forEach((item, index) => views[index].update(item, index));
  };
}

/** A state in a word, with a shape beside it. The tone is one of good, warn, bad, idle. */
export function chip() {
  const sign = icon('idle');
  const word = el('span', { class: 'foreign' });
  const root = el('span', { class: 'chip' }, sign.root, word);
  return {
    root,
    show(tone, shape, text) {
      setAttribute(root, 'data-tone', tone);
      sign.show(shape);
      setText(word, text);
    },
  };
}

/** A fencing token: in groups of three, which are not copied with it. */
export function token() {
  const root = el('span', { class: 'token' });
  let last;
  return {
    root,
    show(value) {
      if (value === last) {
        return;
      }
      last = value;
      const groups = value === null || value === undefined ? ['–'] : shown(value).split(/(?=(?:\d{3})+$)/);
      root.replaceChildren(...groups.map((group) => el('span', {}, group)));
    },
  };
}

/** Names and values, as they stand beside each other in a panel. */
export function facts(names) {
  const values = names.map(() => el('dd'));
  const root = el('dl', { class: 'facts' },
    ...names.map((name, i) => el('div', {}, el('dt', {}, name), values[i])));
  return {
    root,
    show: (...texts) => texts.forEach((text, i) => setText(values[i], text)),
  };
}
