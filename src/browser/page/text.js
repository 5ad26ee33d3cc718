// Text as a person sees it: only what is displayed, blanks collapsed.

const blanks = /[\s\u00a0\u200b\u3000\ufeff]+/gu;
// Between Chinese characters a blank is decoration: `签 到` is `签到`.
const decoration = /(?<=\p{Script=Han}) (?=\p{Script=Han})/gu;

// Half a character, which scripts leave behind when they cut texts, is nothing that the driver could hand on.
const halves = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const wellFormed = (text) => (text.toWellFormed ? text.toWellFormed() : text.replace(halves, "\ufffd"));

const collapse = (text) => wellFormed(text).replace(blanks, " ").trim();
const normal = (text) => collapse(text).replace(decoration, "");

const silent = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "TITLE"]);
const pressable = new Set(["button", "submit", "reset"]);

// Smaller than this is for screen readers, not for eyes.
const LEAST = 2;

// Letters without a colour are for machines; with a picture clipped to them they are for people.
const transparent = (style) => /^rgba\(.*, 0(?:\.0\d*)?\)$/.test(style.color) && !/text/.test(style.backgroundClip);

const textSeen = (node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return false;
  const parent = node.parentElement;
  const own = getComputedStyle(parent);
  if (transparent(own)) return false;
  const cutBox = parent === document.body || own.overflow === "visible" ? box : clipBy(box, parent, own);
  const seen = seenPart(cutBox, parent);
  return seen.right - seen.left >= LEAST && seen.bottom - seen.top >= LEAST;
};

const asShown = (node) => {
  const transform = getComputedStyle(node.parentElement).textTransform;
  if (transform === "uppercase") return node.data.toUpperCase();
  return transform === "lowercase" ? node.data.toLowerCase() : node.data;
};

// Closed shadow roots that the driver opened for us (`browser/challenge/watch.rs`), by their hosts.
const openedRoots = new WeakMap();

const shadowOf = (element) => element.shadowRoot ?? openedRoots.get(element) ?? null;

const childrenOf = (node) => {
  const shadow = node.nodeType === Node.ELEMENT_NODE ? shadowOf(node) : null;
  if (shadow) return shadow.childNodes;
  if (node.localName === "slot" && node.assignedNodes) {
    const assigned = node.assignedNodes();
    return assigned.length ? assigned : node.childNodes;
  }
  return node.childNodes;
};

const gather = (node, out, enough = Infinity) => {
  if (out.length > enough) return;
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.parentElement && node.data.trim() && rendered(node.parentElement) &&
        opacityOf(node.parentElement) >= 0.1 && textSeen(node)) out.push(asShown(node));
    else if (!node.data.trim()) out.push(" ");
    return;
  }
  if (node.nodeType === Node.ELEMENT_NODE) {
    if (silent.has(node.tagName)) return;
    if (node.localName === "input") {
      if (pressable.has(node.type) && displayed(node)) out.push(node.value);
      return;
    }
    if (node.localName === "textarea") return;
    if (node.localName === "select") {
      if (displayed(node)) out.push([...node.selectedOptions].map((option) => option.label).join(" "));
      return;
    }
    const inline = node.localName !== "br" && /^(inline|contents)/.test(getComputedStyle(node).display);
    if (!inline) out.push(" ");
    for (const child of childrenOf(node)) gather(child, out, enough);
    if (!inline) out.push(" ");
    return;
  }
  for (const child of childrenOf(node)) gather(child, out, enough);
};

// Is there more displayed text than this many characters? It is not read further than that.
const showsMoreThan = (node, most) => {
  let length = 0;
  const out = { length: 0, push: (text) => {
    length += text.trim().length;
    if (length > most) out.length = 1;
  } };
  gather(node, out, 0);
  return length > most;
};

const shownText = (node) => {
  const out = [];
  gather(node, out);
  return collapse(out.join(""));
};

// The words of an element, hidden ones included: cheap, and never less than what is displayed.
const anyText = (element) => {
  const words = [element.textContent ?? ""];
  if (element.value && typeof element.value === "string") words.push(element.value);
  return words.join(" ");
};
