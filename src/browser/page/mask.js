// Before a picture: what people typed is blacked out, and what the page says is told, so that nothing secret is pictured.
// It is done by the style of each element: a page may forbid style sheets that are not its own.

const typedInto = "textarea, select, input:not([type=button]):not([type=submit]):not([type=reset]):not([type=image])" +
  ":not([type=checkbox]):not([type=radio])";
const edited = "[contenteditable]:not([contenteditable=false])";
// What may show anything, and cannot be looked into.
const opaque = "object, embed, frame";

const still = { transition: "none", animation: "none" };
// One black box, whatever its text, its selection or its shadows are painted with.
const black = { ...still, background: "#000", filter: "brightness(0)", "clip-path": "inset(0)", "backdrop-filter": "none" };
// A list of options is as wide as what is chosen in it.
const blackList = { ...black, width: "12em" };
const gone = { ...still, opacity: "0" };

// Elements that were masked, with the style that they had.
const masked = new Map();

let maskedHere = false;

const paint = (element, style) => {
  if (!element.style || masked.has(element)) return;
  masked.set(element, element.hasAttribute("style") ? element.style.cssText : null);
  for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value, "important");
};

const unmask = () => {
  for (const [element, before] of masked) {
    element.style.cssText = before ?? "";
    // Chromium writes this attribute late: only once it was asked for can it be removed.
    if (before === null && element.hasAttribute("style")) element.removeAttribute("style");
  }
  masked.clear();
};

const rootsIn = (root) => [root, ...[...root.querySelectorAll("*")].filter((each) => each.shadowRoot)
  .flatMap((each) => rootsIn(each.shadowRoot))];

// An element of the page's own making that shows something out of a root that is closed to us.
const closed = (element) => element.localName.includes("-") && !element.shadowRoot && !anyText(element).trim() &&
  !element.firstElementChild;

// Longer pages are not read: they get no picture.
const LONGEST_PAGE = 500_000;

// The words of a root as they are written, those of its scripts left out.
const wordsOf = (root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const words = [];
  while (walker.nextNode()) if (!silent.has(walker.currentNode.parentElement?.tagName)) words.push(walker.currentNode.data);
  return words.join("");
};

// All that the document may show: as it is written, as it is read, and in attributes that are painted.
const saidBy = (roots) => {
  const painted = roots.flatMap((root) => [...root.querySelectorAll("[alt], [placeholder], input")]).flatMap((each) =>
    [each.getAttribute("alt"), each.getAttribute("placeholder"), pressable.has(each.type) ? each.value : null]);
  const words = [...roots.map(wordsOf), shownText(document.body ?? document.documentElement), ...painted.filter(Boolean)];
  const said = words.join("\n");
  return said.length > LONGEST_PAGE ? null : said;
};

// Masks the document, or takes the mask away; what it says, and the frames in it, each of which is a document of its own.
const mask = (on) => {
  const roots = rootsIn(document);
  const said = saidBy(roots);
  if (!on) {
    // A document that came meanwhile was never masked.
    const was = maskedHere;
    maskedHere = false;
    unmask();
    return { said: was ? said : null, frames: [] };
  }
  maskedHere = true;
  for (const root of roots) {
    root.querySelectorAll(typedInto).forEach((each) => paint(each, each.localName === "select" ? blackList : black));
    root.querySelectorAll(`${edited}, ${opaque}`).forEach((each) => paint(each, gone));
    [...root.querySelectorAll("*")].filter(closed).forEach((each) => paint(each, gone));
  }
  if (document.designMode === "on") paint(document.documentElement, gone);
  return { said, frames: roots.flatMap((root) => [...root.querySelectorAll("iframe")]) };
};

// A frame that cannot be masked from inside is hidden as a whole.
const hide = (frame) => {
  paint(frame, gone);
  return true;
};
