// Looking for pages that ask for a person, by the rules (`browser/challenge/rules.yaml`), which stand in `rules`.

// What the rules ask of a page again and again is found out once in a scan, during which the page stands still.
const known = { shadows: null, page: null, elements: new Map(), words: new Map() };

const forget = () => {
  known.shadows = null;
  known.page = null;
  known.elements.clear();
  known.words.clear();
};

const withShadows = () => (known.shadows ??= hasShadows(document));

const inPage = (selector) => {
  const find = () => (withShadows() ? byCss(document, selector) : [...document.querySelectorAll(selector)]);
  if (!known.elements.has(selector)) known.elements.set(selector, find());
  return known.elements.get(selector);
};

const wordsIn = (element) => {
  if (!known.words.has(element)) known.words.set(element, normal(anyText(element)).toLowerCase());
  return known.words.get(element);
};

// Long pages are looked at element by element.
const MOST_WORDS = 100_000;

// All words of the page, hidden ones included. What they do not hold, no element says: one look spares a look at each.
const wordsOfPage = () => {
  const values = inPage("input, select, textarea, button, output").map((field) => field.value);
  const words = [document.documentElement.textContent, ...values].join(" ");
  return words.length > MOST_WORDS ? null : normal(words).toLowerCase();
};

const mayBeSaid = (phrases) => {
  if (withShadows()) return true;
  known.page ??= { words: wordsOfPage() };
  return known.page.words === null || phrases.some((phrase) => known.page.words.includes(phrase));
};

// Where a page puts what it has to say.
const speaking = "[role=alert], [role=alertdialog], [role=dialog], [role=status], dialog[open], [aria-live], h1, h2," +
  " [class*=error i], [class*=err- i], [class*=alert i], [class*=toast i], [class*=message i], [class*=msg i]," +
  " [class*=tips i], [class*=notice i], [class*=notify i], [class*=notification i], [class*=modal i], [class*=dialog i]";

// A page with little on it but its message.
const sparse = () => inPage("a[href]").filter((link) => displayed(link)).length <= 30 &&
  shownText(document.body ?? document.documentElement).length < 1500;

const hostIs = (host, wanted) => host === wanted || host.endsWith(`.${wanted}`);

const addressFits = (address, wanted) => {
  let url;
  try {
    url = new URL(address, document.baseURI);
  } catch {
    return false;
  }
  return (wanted.hosts == null || wanted.hosts.some((host) => hostIs(url.hostname, host))) &&
    (wanted.path == null || url.pathname.includes(wanted.path)) &&
    (wanted.query == null || url.search.includes(wanted.query)) &&
    (wanted.fragment == null || url.hash.includes(wanted.fragment)) &&
    (wanted.not == null || !`${url.search}${url.hash}`.includes(wanted.not));
};

const framesOf = (wanted) =>
  inPage("iframe").filter((frame) => frame.src && wanted.some((each) => addressFits(frame.src, each)));

// The phrases of the rules are normal and in lower case.
const says = (element, phrases) => {
  const may = phrases.filter((phrase) => wordsIn(element).includes(phrase));
  if (!may.length) return false;
  const shown = normal(shownText(element)).toLowerCase();
  return shown.length <= 400 && may.some((phrase) => shown.includes(phrase));
};

// The form around a field; where there is none, what stands close around it.
const formOf = (field) => {
  const form = field.closest("form, dialog, [role=dialog], [class*=modal i]");
  if (form) return form;
  let around = field;
  for (let up = 0; up < 4 && around.parentElement && around.parentElement !== document.body; up += 1) around = around.parentElement;
  return around;
};

const passwordForms = () =>
  inPage("input[type=password]").filter((field) => displayed(field)).map(formOf);

// The elements that a rule points at, before it is asked whether they are displayed.
const pointedAt = (rule) => {
  if (rule.title) return rule.title.some((title) => document.title.includes(title)) ? [document.body] : [];
  if (rule.address) return addressFits(location.href, rule.address) ? [document.body] : [];
  const found = [...(rule.css ? inPage(rule.css) : []), ...(rule.frames ? framesOf(rule.frames) : [])];
  if (!rule.texts) return found;
  const places = rule.css ? found : [...inPage(speaking), ...(rule.in_sign_in_form ? passwordForms() : [])];
  return places.filter((element) => says(element, rule.texts));
};

const holdsSignal = (selector) => inPage(selector).some((element) => displayed(element));

// Does a widget stand in the same form or dialog as what the task is about to use?
const onPath = (element, target) => {
  const group = (each) => each.closest("form, dialog, [role=dialog]") ?? document.body;
  return contains(group(target), element) || contains(group(element), target);
};

const solved = (rule) => rule.done && inPage(rule.done).some((field) => ("value" in field ? field.value !== "" : displayed(field)));

// The element by which a rule holds now.
const holdsNow = (rule, widgetCounts) => {
  if (rule.texts && !mayBeSaid(rule.texts)) return null;
  if (rule.marker && !document.querySelector(rule.marker)) return null;
  if (rule.beside && !holdsSignal(rule.beside)) return null;
  if (rule.without && holdsSignal(rule.without)) return null;
  if (rule.address_too && !addressFits(location.href, rule.address_too)) return null;
  if (solved(rule)) return null;
  const [width, height] = rule.min ?? [1, 1];
  const found = pointedAt(rule).find((element) => element && displayed(element, width, height) &&
    (rule.tier !== "widget" || widgetCounts(element)) &&
    (!rule.near || says(formOf(element), rule.near)) &&
    (!rule.unless_texts || !says(element, rule.unless_texts)));
  return found && (!rule.sparse || sparse()) ? found : null;
};

// The rules that hold now. Widgets count where they stand in the way of `target`; everywhere, when what was expected
// did not come; otherwise not.
const scan = ({ signIn, everywhere }, target) => {
  watch();
  forget();
  const widgetCounts = (element) => everywhere || (target != null && onPath(element, target));
  const hits = [];
  for (const rule of rules) {
    if (signIn ? rule.signed_in_only : rule.sign_in_only) continue;
    const element = holdsNow(rule, widgetCounts);
    if (element) hits.push({ id: rule.id, shown: element === document.body ? document.title : describe(element) });
  }
  return hits;
};
