// SPDX-License-Identifier: Apache-2.0
// Evaluates to the texts whose contrast to their ground is below 4.5, as the browser has computed their colours.
(() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const over = (top, below) => ({
    r: top.r * top.a + below.r * (1 - top.a),
    g: top.g * top.a + below.g * (1 - top.a),
    b: top.b * top.a + below.b * (1 - top.a),
    a: 1,
  });
  const ground = (element) => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) {
      layers.push(parse(getComputedStyle(each).backgroundColor));
    }
    return layers.reverse().reduce((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const light = ({ r, g, b }) => [r, g, b]
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (one, other) => {
    const [more, less] = [light(one), light(other)].sort((a, b) => b - a);
    return (more + 0.05) / (less + 0.05);
  };
  const poor = [];
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest('.unseen, noscript')) {
      continue;
    }
    texts++;
    const style = getComputedStyle(element);
    const below = ground(element);
    const ink = over(parse(element.closest('svg') ? style.fill : style.color), below);
    const ratio = contrast(ink, below);
    if (ratio < 4.5) {
      poor.push(`${ratio.toFixed(2)} ${element.className} "${walker.currentNode.textContent.trim().slice(0, 40)}"`);
    }
  }
  return texts < 50 ? `only ${texts} texts found` : poor.join('; ');
})();
