// The second look for what asks for a person: which rules (`browser/challenge/rules/`) hold, of those that the page could hold
// by its markup and its words. What asks for a look at elements is found out once in a scan, in which the page stands still.

// `how` is what the runner told about this scan, `target` what it is about to use.
const known = { how: {}, target: null };

const patterns = new Map();
const pattern = (source) => {
  if (!patterns.has(source)) patterns.set(source, new RegExp(source));
  return patterns.get(source);
};

// The same for a text that may hold more than one message, put together without blanks: where one ends is no sign.
const anywhere = (source) => source.replace(/(^|[(|])\^/g, "$1").replace(/\$|\\b/g, "");
const mayBeSaidIn = (text, sources) => sources.some((source) => pattern(anywhere(source)).test(text));

const saysAny = (text, sources) => sources.some((source) => pattern(source).test(text));

const hostIs = (host, wanted) => host === wanted || host.endsWith(`.${wanted}`);

// Hosts are equal or a dot-suffix; the rest are patterns over its own part of the address only.
const addressFits = (address, wanted) => {
  let url;
  try {
    url = new URL(address, document.baseURI);
  } catch {
    return false;
  }
  return (wanted.hosts == null || wanted.hosts.some((host) => hostIs(url.hostname, host))) &&
    (wanted.path == null || pattern(wanted.path).test(url.pathname)) &&
    (wanted.query == null || wanted.query.every((part) => pattern(part).test(url.search))) &&
    (wanted.fragment == null || pattern(wanted.fragment).test(url.hash)) &&
    (wanted.not == null || !pattern(wanted.not).test(`${url.search}${url.hash}`));
};

// The frames of a route. In a frame, its own address counts as well: what it was sent to may be another page.
const framesOf = (wanted) => {
  const fits = (address) => wanted.some((each) => addressFits(address, each));
  const found = inPage("iframe, frame").filter((frame) => addressOfFrame(frame) && fits(addressOfFrame(frame)));
  return known.how.frame && fits(location.href) ? [document.documentElement, ...found] : found;
};

// The elements that a rule points at, before it is asked whether they are displayed.
const pointedAt = (rule) => {
  const found = [];
  if (rule.title && saysAny(told(document.title), rule.title)) found.push(document.body);
  if (rule.address && !rule.css && !rule.says && !rule.signal && !rule.title) found.push(document.body);
  if (rule.css) found.push(...inPage(rule.css).filter((element) => !rule.says || saysShort(element, rule.says)));
  if (rule.frames) found.push(...framesOf(rule.frames));
  if (rule.signal) found.push(...signal(rule.signal));
  if (rule.html && !rule.css && !rule.says && !rule.title && !rule.frames && !rule.address) found.push(document.body);
  if (rule.says && !rule.css) found.push(...blocksSaying(rule));
  return found.filter(Boolean);
};

// A page challenge is never a small frame in a page.
const takesPage = () => !known.how.frame || known.how.frame === "covers";

const groupOf = (element) => element.form ?? parentsOf(element).find((each) => each.matches("form, dialog, [role=dialog], [role=form]")) ?? null;

// Does a widget stand in the same form or dialog as what the task is about to use?
const onPath = (element, target) => {
  if (element.inert || parentsOf(element).some((each) => each.inert)) return false;
  const [one, other] = [groupOf(element), groupOf(target)];
  if (one || other) return one === other || (one && contains(one, target)) || (other && contains(other, element));
  // Without forms, what stands close together belongs together.
  for (let at = target, up = 0; at && up <= 3; at = parentOf(at), up += 1) {
    if (at !== document.body && at !== document.documentElement && contains(at, element)) return true;
  }
  return false;
};

// Is the form that an element is in, if any, the only thing to use on the page?
const standsAlone = (element) => {
  const group = groupOf(element);
  return !group || !shownInPage("button, input:not([type=hidden]), select, textarea").some((each) => !contains(group, each));
};

// A widget on a page on which there is nothing else to use is what the page is about.
const isAllThereIs = (element) => takesPage() && sparse() &&
  !shownInPage("input:not([type=hidden]), button, select, textarea").some((each) => !contains(around(element), each));

const counts = (element) => isAllThereIs(element) || known.how.everywhere || (known.target != null && onPath(element, known.target)) ||
  // Before a password is sent, what stands on the page and in no other form is asked with it.
  (known.how.signIn && known.target != null && !groupOf(element));

// The widget's own answer, where it has one; else any in the page.
const solved = (rule, element) => {
  if (!rule.done) return false;
  const fields = inPage(rule.done);
  const near = fields.filter((field) => contains(around(element), field));
  return (near.length ? near : fields).some((field) => ("value" in field ? field.value !== "" : displayed(field)));
};

// Do words that stand close to an element say so? The closest that say anything decide.
const closeBy = (element, sources, unless) => {
  for (let at = element, up = 0; at && up <= 5 && at !== document.documentElement; at = parentOf(at), up += 1) {
    const shown = `${shownIn(at)} ${up === 0 ? calledOf(at) : ""}`;
    if (shown.length > MESSAGE) return false;
    if (saysAny(shown, unless)) return false;
    if (saysAny(shown, sources)) return true;
  }
  return false;
};

const anyOf = (names, scope) => names.some((name) =>
  (name in signals ? signal(name) : shownInPage(name)).some((each) => !scope || scope === each || contains(scope, each)));

// What a rule asks of the page as a whole.
const pageFits = (rule) =>
  (!rule.address || addressFits(location.href, rule.address)) &&
  (!rule.marker || inPage(rule.marker).length > 0) &&
  (!rule.beside || anyOf(rule.beside, null)) &&
  (!rule.without || !anyOf(rule.without, null)) &&
  (!rule.sparse || (takesPage() && sparse())) &&
  (!rule.bare || (takesPage() && bare()));

// What it asks of an element, dearest last.
const elementFits = (rule, element) => {
  const [width, height] = rule.min ?? [1, 1];
  if (rule.bare ? false : !displayed(element, width, height)) return false;
  if (solved(rule, element)) return false;
  if (rule.overlay && !overlayOf(element)) return false;
  const isFrameOf = (wanted) => wanted.some((each) => addressFits(addressOfFrame(element), each));
  if (rule.only_frames && !isFrameOf(rule.only_frames)) return false;
  if (rule.unless_frames && isFrameOf(rule.unless_frames)) return false;
  if (rule.around_says && !closeBy(element, rule.around_says, rule.around_unless ?? [])) return false;
  const scope = rule.with || rule.near || rule.unless_near || rule.unless_with ? scopeOf(element) : null;
  return (!rule.with || anyOf(rule.with, scope)) &&
    (!rule.unless_with || !anyOf(rule.unless_with, scope)) &&
    (!rule.near || saysShort(scope, rule.near, 1500)) &&
    (!rule.unless_near || !saysShort(scope, rule.unless_near, 1500)) &&
    (rule.tier !== "widget" || counts(element)) &&
    (!rule.gate || overlayOf(element) !== null || (takesPage() && sparse() && (rule.gate !== "alone" || standsAlone(element))) || counts(element));
};

// The element by which a rule holds now.
const holdsNow = (rule) => {
  if (rule.tier === "page" && !takesPage()) return null;
  if (!document.body || !pageFits(rule)) return null;
  return pointedAt(rule).find((element) => elementFits(rule, element)) ?? null;
};

// Which of these rules hold now, and the frames in which it must be looked as well.
const scan = (how, target, rules) => {
  survey();
  known.how = how;
  known.target = target ?? null;
  const hits = [];
  for (const rule of rules) {
    const element = holdsNow(rule);
    if (element) hits.push({ id: rule.id, alone: rule.tier === "widget" && isAllThereIs(element), shown: element === document.body ? document.title || location.host : describe(element) });
  }
  return { hits, frames: framesToEnter() };
};

// A closed shadow root that the driver opened. From now on it is looked into like an open one.
const openRoot = (host, root) => {
  openedRoots.set(host, root);
  page.token = null;
  return true;
};
