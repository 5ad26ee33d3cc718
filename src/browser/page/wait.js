// Waiting: an answer as soon as the page changes, and whether an element can be used.

let changeCount = 0;
let changedAt = 0;
let watching = null;
const waiters = new Set();

const changed = () => {
  changeCount += 1;
  changedAt = performance.now();
  for (const wake of [...waiters]) wake();
};

// Starts to count changes of this document, once; says how many there were.
const watch = () => {
  if (!watching) {
    changedAt = performance.now();
    watching = new MutationObserver(changed);
    watching.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    for (const event of ["load", "transitionend", "animationend", "input", "change", "toggle"]) {
      addEventListener(event, changed, { capture: true, passive: true });
    }
    // What an element loads (a style sheet, a frame) is told to the document, but not to the window.
    document.addEventListener("load", changed, { capture: true, passive: true });
  }
  return changeCount;
};

// The same, with the changes that the observer has not told yet.
const watchNow = () => {
  watch();
  if (watching.takeRecords().length) changed();
  return changeCount;
};

const nextFrame = () => new Promise((done) => {
  const late = setTimeout(done, 100); // A tab in the background draws no frames.
  requestAnimationFrame(() => {
    clearTimeout(late);
    done();
  });
});

// Answers when the page has changed since `seen` changes, at the latest after `limit` milliseconds.
const settle = (seen, limit) => new Promise((done) => {
  if (watch() !== seen) return done(changeCount);
  const finish = () => {
    clearTimeout(late);
    waiters.delete(finish);
    done(changeCount);
  };
  const late = setTimeout(finish, limit);
  waiters.add(finish);
});

// Answers when nothing has changed for `quiet` milliseconds, those before the call included; no after `limit`.
const calm = async (quiet, limit) => {
  const end = performance.now() + limit;
  watch();
  for (;;) {
    const now = performance.now();
    const left = changedAt + quiet - now;
    if (left <= 0 && document.readyState !== "loading") return true;
    if (now >= end) return false;
    await settle(changeCount, Math.min(left > 0 ? left : quiet, end - now));
  }
};

// Is everything on the page loaded? Answers no after `limit`, and from then on at once.
let neverComplete = false;
const complete = async (limit) => {
  const end = performance.now() + limit;
  while (document.readyState !== "complete" && !neverComplete) {
    if (performance.now() >= end) neverComplete = true;
    else await settle(watch(), Math.min(100, limit));
  }
  return document.readyState === "complete";
};

const disabled = (element) => {
  if (element.matches(":disabled")) return true;
  for (let at = element; at; at = parentOf(at)) {
    if (at.getAttribute("aria-disabled") === "true" || at.inert) return true;
  }
  return false;
};

const topmost = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const deeper = hit.shadowRoot.elementFromPoint(x, y);
    if (!deeper || deeper === hit) break;
    hit = deeper;
  }
  return hit;
};

// The point that a click goes to: the middle of the first box of the element, as far as it is in view.
const middle = (element) => {
  const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
  const seen = cut(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  return { x: (seen.left + seen.right) / 2, y: (seen.top + seen.bottom) / 2, seen: seen.right > seen.left && seen.bottom > seen.top };
};

const label = (element) => [...(element.labels ?? [])];

// Before an element is used: why it cannot be yet and, where it can, a first look for what asks for a person.
const ready = async (element) => {
  const why = await unusable(element);
  return { why, glance: why === null ? glance() : null };
};

// Usable is displayed, enabled, still and uncovered. Null says yes; a text says why not yet.
const unusable = async (element) => {
  if (!element.isConnected) return "it is no longer in the page";
  if (!displayed(element)) return "it is not displayed";
  if (disabled(element)) return "it is disabled";
  if (!middle(element).seen) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const before = element.getBoundingClientRect();
  await nextFrame();
  const after = element.getBoundingClientRect();
  if (before.left !== after.left || before.top !== after.top || before.width !== after.width) return "it is moving";
  const point = middle(element);
  if (!point.seen) return "it cannot be scrolled into view";
  const hit = topmost(point.x, point.y);
  if (hit && (contains(element, hit) || label(element).some((each) => contains(each, hit)))) return null;
  return hit ? `${describe(hit)} lies over it` : "nothing is at its place";
};
