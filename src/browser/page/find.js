// Finding elements the way a person names them.

// Every element below `root`, those in open shadow roots too, in the order of the page.
const everything = (root, out = []) => {
  for (const element of root.querySelectorAll("*")) {
    out.push(element);
    if (element.shadowRoot) everything(element.shadowRoot, out);
  }
  return out;
};

// A loop, because WebDriver's membrane makes an array of a list eight times as dear.
const hasShadows = (root) => {
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) return true;
  return false;
};

const byCss = (root, selector) => {
  const inside = root.shadowRoot ?? root;
  if (!hasShadows(inside)) return [...inside.querySelectorAll(selector)];
  return everything(inside).filter((element) => element.matches(selector));
};

const byXpath = (root, path) => {
  const found = document.evaluate(path, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const nodes = Array.from({ length: found.snapshotLength }, (_, index) => found.snapshotItem(index));
  return nodes.filter((node) => node.nodeType === Node.ELEMENT_NODE && (root === document || root.contains(node)));
};

const same = (text, wanted, exact) => {
  const [is, shall] = [normal(text), normal(wanted)];
  return exact ? is === shall : is.includes(shall);
};

// The innermost elements that show the text.
const byText = (root, wanted, exact) => {
  const squeeze = (text) => text.replace(blanks, "");
  const words = squeeze(wanted).toLowerCase();
  const may = byCss(root, "*").filter((element) =>
    !silent.has(element.tagName) &&
    (squeeze(anyText(element)).toLowerCase().includes(words) || element.shadowRoot));
  const hits = may.filter((element) => same(shownText(element), wanted, exact));
  return hits.filter((element) => !hits.some((other) => other !== element && contains(element, other)));
};

const contains = (outer, inner) => {
  for (let at = inner; at; at = parentOf(at)) if (at === outer) return true;
  return false;
};

const fields = "input:not([type=hidden]), textarea, select, button, meter, output, progress, [contenteditable]," +
  " [role=textbox], [role=combobox], [role=checkbox], [role=radio], [role=switch], [role=slider], [role=spinbutton]";

const referredTo = (element, attribute) =>
  (element.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean)
    .map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean);

// What a label says without the text of the field inside it.
const labelText = (label, field) => {
  if (!label.contains(field) || label === field) return shownText(label) || normal(label.textContent);
  const out = [];
  for (const child of label.childNodes) if (child !== field) gather(child, out);
  return collapse(out.join(""));
};

const labelsOf = (field) => {
  const referred = referredTo(field, "aria-labelledby").map((label) => label.textContent);
  if (referred.length) return [referred.join(" ")];
  const own = field.getAttribute("aria-label");
  const labels = [...(field.labels ?? [])].map((label) => labelText(label, field));
  return own ? [own, ...labels] : labels;
};

const byLabel = (root, wanted, exact) =>
  byCss(root, fields).filter((field) => labelsOf(field).some((label) => same(label, wanted, exact)));

const byPlaceholder = (root, wanted, exact) =>
  byCss(root, "[placeholder], [aria-placeholder], [data-placeholder]").filter((field) =>
    ["placeholder", "aria-placeholder", "data-placeholder"].some((attribute) =>
      field.hasAttribute(attribute) && same(field.getAttribute(attribute), wanted, exact)));

// Elements that have a role without saying so.
const implied = {
  button: "button, summary, input[type=button], input[type=submit], input[type=reset], input[type=image]",
  link: "a[href], area[href]",
  heading: "h1, h2, h3, h4, h5, h6",
  textbox: "textarea, [contenteditable], input:not([type]), input[type=text], input[type=email], input[type=tel]," +
    " input[type=url], input[type=password], input[type=number], input[type=date], input[type=time]",
  searchbox: "input[type=search]",
  checkbox: "input[type=checkbox]",
  radio: "input[type=radio]",
  combobox: "select, input[list]",
  listbox: "select",
  option: "option",
  spinbutton: "input[type=number]",
  slider: "input[type=range]",
  img: "img, svg",
  list: "ul, ol, menu",
  listitem: "li",
  table: "table",
  row: "tr",
  cell: "td",
  columnheader: "th",
  rowheader: "th",
  dialog: "dialog",
  form: "form",
  navigation: "nav",
  main: "main",
  banner: "header",
  contentinfo: "footer",
  complementary: "aside",
  region: "section",
  article: "article",
  figure: "figure",
  group: "fieldset, details",
  status: "output",
  progressbar: "progress",
  paragraph: "p",
};

const ofRole = (root, role) =>
  byCss(root, `[role~="${CSS.escape(role)}"]${implied[role] ? `, ${implied[role]}` : ""}`);

// All the words that an element's name may be made of: never less than the name itself.
const wordsOfName = (element) => {
  const words = [element, ...element.querySelectorAll("*")].flatMap((part) =>
    ["aria-label", "alt", "title", "value", "placeholder"].map((attribute) => part.getAttribute(attribute) ?? ""));
  const referred = referredTo(element, "aria-labelledby").map((label) => label.textContent);
  const labels = [...(element.labels ?? [])].map((label) => label.textContent);
  return [anyText(element), element.shadowRoot?.textContent ?? "", ...words, ...referred, ...labels].join(" ");
};

// The name by the usual rules, where the driver is not asked: inside rows.
const nameOf = (element) => {
  const label = labelsOf(element)[0];
  if (label) return label;
  return shownText(element) || element.getAttribute("alt") || element.getAttribute("title") ||
    element.getAttribute("placeholder") || "";
};

// `judged: false`: every element that may have this role and name; the driver's computed role and name decide.
const byRole = (root, query, judged) => {
  const may = ofRole(root, query.role);
  if (query.name == null) return may;
  if (judged) return may.filter((element) => same(nameOf(element), query.name, query.exact));
  const squeeze = (text) => text.replace(blanks, "").toLowerCase();
  const wanted = squeeze(query.name);
  return may.filter((element) => squeeze(wordsOfName(element)).includes(wanted));
};

const candidates = (root, query, judged) => {
  switch (query.by) {
    case "css": return byCss(root, query.value);
    case "xpath": return byXpath(root, query.value);
    case "text": return byText(root, query.value, query.exact);
    case "label": return byLabel(root, query.value, query.exact);
    case "placeholder": return byPlaceholder(root, query.value, query.exact);
    case "testid": return byCss(root, `[data-testid="${CSS.escape(query.value)}"]`);
    case "role": return byRole(root, query, judged);
  }
  return [];
};

// What a query means inside one element, without asking the driver: for the columns of rows.
const inside = (root, query) => {
  const roots = query.within ? inside(root, query.within) : [root];
  const found = roots.flatMap((each) => candidates(each, query, true));
  const both = query.text == null ? found : found.filter((hit) => same(shownText(hit), query.text, query.exact));
  const seen = both.filter((element) => displayed(element));
  return query.nth ? seen.slice(query.nth - 1, query.nth) : seen;
};

// A few words that tell a person which element is meant.
const describe = (element) => {
  const words = (shownText(element) || element.getAttribute("aria-label") || element.getAttribute("placeholder") || "");
  const id = element.id ? `#${element.id}` : "";
  const classes = [...element.classList].slice(0, 2).map((name) => `.${name}`).join("");
  const text = words ? ` “${words.length > 40 ? `${wellFormed(words.slice(0, 40))}…` : words}”` : "";
  return `<${element.localName}${id}${classes}>${text}`;
};

// The displayed hits, and how often the page had changed when they were seen. Of roles and names the driver has the last
// word, once the page is complete; where it is not after `patience` milliseconds, they are judged here. With `use`, the
// only hit is looked at as one that is about to be used (`ready`), or the page as one that a step leaves (`glance`).
const look = async (query, root, patience, use) => {
  const judged = patience !== null && !(await complete(patience));
  const found = candidates(root ?? document, query, judged);
  const both = query.text == null ? found : found.filter((hit) => same(shownText(hit), query.text, query.exact));
  const seen = both.filter((element) => displayed(element));
  return {
    changes: watch(),
    ready: seen.length !== 1 ? null : use === "ready" ? await ready(seen[0]) : use ? { why: null, glance: glance() } : null,
    hits: seen.slice(0, 300).map((element) => ({ element, shown: describe(element) })),
    count: seen.length,
    hidden: both.length - seen.length,
    judged,
  };
};

// How alike two texts are, from 0 to 1, by the pairs of characters they share.
const alike = (one, other) => {
  const pairs = (text) => new Set(Array.from({ length: Math.max(text.length - 1, 1) }, (_, at) => text.slice(at, at + 2)));
  const [left, right] = [pairs(one), pairs(other)];
  const shared = [...left].filter((pair) => right.has(pair)).length;
  return (2 * shared) / (left.size + right.size);
};

// What is there instead, nearest first.
const nearest = (query, root) => {
  const wanted = normal(query.name ?? query.text ?? query.value ?? "");
  const pool = query.by === "role" ? ofRole(root ?? document, query.role)
    : ["label", "placeholder"].includes(query.by) ? byCss(root ?? document, fields)
    : byCss(root ?? document, `a, button, input, select, textarea, h1, h2, h3, label, [role], [data-testid], [id]`);
  return pool.slice(0, 400).filter((element) => displayed(element)).map((element) => {
    const texts = [nameOf(element), element.getAttribute("placeholder") ?? "", element.dataset?.testid ?? "", `#${element.id}`,
      `.${[...element.classList].join(".")}`];
    return { shown: describe(element), score: Math.max(...texts.map((text) => alike(normal(text).slice(0, 80), wanted))) };
  }).filter((each) => each.score > 0.2).sort((one, other) => other.score - one.score).slice(0, 5).map((each) => each.shown);
};
