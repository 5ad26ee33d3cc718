// What a person sees of a page. An element is displayed when it is rendered, not transparent, and some of its box lies
// where it can be seen: in the document's area, not cut away by what clips it.

const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? (node.getRootNode().host || null);

// Cut away to nothing, the way texts for screen readers are.
const clippedAway = (style) => /^inset\((?:[5-9]\d|100)%\)/.test(style.clipPath) ||
  (/^rect\(0(px)?,? 0(px)?,? 0(px)?,? 0(px)?\)$/.test(style.clip) && /absolute|fixed/.test(style.position));

// Opacity multiplies down the tree; a mask of opacity .05 is not seen. What is cut away to nothing has none.
const opacityOf = (element) => {
  let opacity = 1;
  for (let at = element; at; at = parentOf(at)) {
    const style = getComputedStyle(at);
    if (clippedAway(style)) return 0;
    opacity *= Number(style.opacity);
  }
  return opacity;
};

const rendered = (element) =>
  element.isConnected &&
  element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });

const cut = (box, by) => ({
  left: Math.max(box.left, by.left),
  top: Math.max(box.top, by.top),
  right: Math.min(box.right, by.right),
  bottom: Math.min(box.bottom, by.bottom),
});

// A box that other boxes are placed in although they are `fixed` or `absolute`.
const holdsFixed = (style) =>
  style.transform !== "none" || style.perspective !== "none" || style.filter !== "none" ||
  /paint|layout|strict|content/.test(style.contain) || /transform|perspective|filter/.test(style.willChange);

// What can be scrolled into view counts as seen; what is clipped away does not.
const clipBy = (box, element, style) => {
  const frame = element.getBoundingClientRect();
  const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
  const area = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  if (style.overflowX !== "visible") {
    area.left = frame.left - (scrolls(style.overflowX) ? element.scrollLeft : 0);
    area.right = scrolls(style.overflowX) ? area.left + element.scrollWidth : frame.right;
  }
  if (style.overflowY !== "visible") {
    area.top = frame.top - (scrolls(style.overflowY) ? element.scrollTop : 0);
    area.bottom = scrolls(style.overflowY) ? area.top + element.scrollHeight : frame.bottom;
  }
  const left = cut(box, area);
  if (!scrolls(style.overflowX) && !scrolls(style.overflowY)) return left;
  // From here on it is the scroller's own box that must be seen.
  return left.right > left.left && left.bottom > left.top ? cut(frame, area) : left;
};

const documentArea = () => {
  const root = document.documentElement;
  return {
    left: -scrollX,
    top: -scrollY,
    right: Math.max(root.scrollWidth, innerWidth) - scrollX,
    bottom: Math.max(root.scrollHeight, innerHeight) - scrollY,
  };
};

// The part of a box of `element` that can be seen, along its chain of containing blocks.
const seenPart = (box, element) => {
  let position = getComputedStyle(element).position;
  for (let at = parentOf(element); at && at !== document.documentElement && at !== document.body; at = parentOf(at)) {
    const style = getComputedStyle(at);
    if (style.display === "contents") continue;
    const holds = holdsFixed(style);
    if (position === "fixed" && !holds) continue;
    if (position === "absolute" && style.position === "static" && !holds) continue;
    box = clipBy(box, at, style);
    position = style.position;
  }
  return cut(box, documentArea());
};

const boxOf = (element) => {
  const box = element.getBoundingClientRect();
  if (box.width > 0 && box.height > 0) return box;
  if (getComputedStyle(element).display !== "contents" && element.getClientRects().length === 0) return box;
  // An empty box whose content overflows it, or `display: contents`: the content's box.
  const range = document.createRange();
  range.selectNodeContents(element);
  return getComputedStyle(element).overflow === "visible" ? range.getBoundingClientRect() : box;
};

const displayed = (element, width = 1, height = 1) => {
  if (!rendered(element) || opacityOf(element) < 0.1) return false;
  const seen = seenPart(boxOf(element), element);
  if (seen.right - seen.left < width || seen.bottom - seen.top < height) return false;
  // Inside an iframe an element does not know that the iframe is hidden.
  return frameDisplayed();
};

const frameDisplayed = () => {
  try {
    return !window.frameElement || window.parent === window || frameShown(window.frameElement);
  } catch {
    return true; // Of another origin: whoever came in looked at the iframe from outside.
  }
};

const frameShown = (frame) => {
  const box = frame.getBoundingClientRect();
  const visible = frame.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  return visible && box.width > 0 && box.height > 0;
};
