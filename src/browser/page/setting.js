// Where a text stands in a page: in a dialog, an alert, a heading, the only words of the page, or among much else.

const wordsIn = (element) => {
  const words = once("words", () => new WeakMap());
  if (!words.has(element)) words.set(element, told(wordsBelow(element)));
  return words.get(element);
};

const wordsBelow = (element) => {
  const shadow = shadowOf(element);
  return shadow ? `${anyText(element)} ${[...shadow.children].map(wordsBelow).join(" ")}` : anyText(element);
};

const shownIn = (element) => {
  const words = once("shown words", () => new WeakMap());
  if (!words.has(element)) words.set(element, told(shownText(element)));
  return words.get(element);
};

// More than this is an article, no message.
const MESSAGE = 300;

const saysShort = (element, sources, most = MESSAGE) => {
  if (page.roots.length === 1 && !mayBeSaidIn(wordsIn(element), sources)) return false;
  const shown = shownIn(element);
  return shown.length <= most && saysAny(shown, sources);
};

const elementsIn = (element) => [...element.children, ...(shadowOf(element)?.children ?? [])];

// The innermost elements whose words fit.
const innermost = (element, sources, out) => {
  if (silent.has(element.tagName) || !mayBeSaidIn(wordsIn(element), sources)) return out;
  const before = out.length;
  for (const child of elementsIn(element)) innermost(child, sources, out);
  if (out.length === before) out.push(element);
  return out;
};

const parentsOf = (element) => {
  const parents = [];
  for (let at = element; at; at = parentOf(at)) parents.push(at);
  return parents;
};

// The names that a page gave an element, cut into words.
const namesOf = (element) =>
  ` ${element.id} ${element.getAttribute("class") ?? ""} `.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();

const isQuietName = /[^a-z](footer|breadcrumbs?|sidebar|side-bar|cookies?|comments?|faq|help(?!-block)|promo(tion)?|marquee|announce(ment)?s?|notice-?bar|news|ads?|advert|activity|nav(bar)?|menu|article|post)[^a-z]/;
const quietPlaces = "nav, footer, aside, menu, marquee, blockquote, pre, code, td, th, figcaption, option, article, summary," +
  " [role=navigation], [role=contentinfo], [role=complementary], [role=menu], [role=menubar], [role=tablist]," +
  " [role=listbox], [role=article], [role=marquee]";
const isOverlayName = /[^a-z](modal|dialog|popup|pop-up|toast|lightbox|msgbox|messagebox|message-box|swal2?|snackbar)[^a-z]/;
const isAlertName = /[^a-z](errors?|err|alert|toast|messages?|msg|tips?|notify|notification|warn(ing)?|danger|feedback|invalid|help-block|snackbar|hint|fail(ed|ure)?|result)[^a-z]/;
const isHeadingName = /[^a-z](title|headline|heading)[^a-z]/;
const dialogs = "[role=dialog], [role=alertdialog], dialog[open], [aria-modal=true], [popover]";
const alerts = "[role=alert], [role=status], [aria-live=assertive], [aria-live=polite], output";
const headings = "h1, h2, h3, [role=heading], legend";

// Does an element lie over the page, by its place?
const liesOver = (element) => {
  const style = getComputedStyle(element);
  if (style.position !== "fixed" && !(style.position === "absolute" && Number(style.zIndex) >= 10)) return false;
  if (element.matches("nav, header, footer")) return false;
  const box = element.getBoundingClientRect();
  const bar = box.width >= innerWidth * 0.9 && box.height < 100 && (box.top <= 0 || box.bottom >= innerHeight);
  const whole = box.width >= innerWidth * 0.95 && box.height >= innerHeight * 0.95;
  return box.width >= 120 && box.height >= 24 && !bar && (!whole || hasMoreThan(element));
};

// Is there anything else on the page than this?
const hasMoreThan = (element) =>
  [...document.body.children].some((child) => !silent.has(child.tagName) && !contains(child, element) && displayed(child));

// The dialog, popup or toast that an element is in.
const overlayOf = (element) => {
  const found = once("overlays", () => new WeakMap());
  if (!found.has(element)) found.set(element, overlayAround(element));
  return found.get(element);
};

const overlayAround = (element) => {
  if (known.how.frame === "overlay") return document.documentElement;
  const parents = parentsOf(element).filter((each) => each !== document.body && each !== document.documentElement);
  return parents.find((each) => {
    if (/[^a-z]cookies?[^a-z]/.test(namesOf(each))) return false;
    return each.matches(dialogs) || isOverlayName.test(namesOf(each)) || liesOver(each);
  }) ?? null;
};

const isQuiet = (element, lists) => parentsOf(element).some((each) => {
  if (each === document.body || each === document.documentElement) return false;
  if (each.matches("li")) return !lists && (each.parentElement?.querySelectorAll(":scope > li").length ?? 0) >= 2 && !isAlertName.test(namesOf(each.parentElement));
  return each.matches(quietPlaces) || isQuietName.test(namesOf(each));
});

const controls = "a, button, label, [role=button], [role=tab], [role=menuitem], [role=link], input";

// The setting of a displayed text; none where it is one of many.
const settingOf = (element, lists) => {
  const parents = parentsOf(element);
  if (parents.slice(0, 4).some((each) => each.matches(controls))) return null;
  if (overlayOf(element)) return "overlay";
  if (isQuiet(element, lists)) return null;
  if (known.how.frame === "flow" && !known.how.everywhere) return null;
  const inside = parents.filter((each) => each !== document.body && each !== document.documentElement);
  if (inside.slice(0, 4).some((each) => each.matches(alerts) || isAlertName.test(namesOf(each)))) return "alert";
  if (signal("password").some((field) => contains(formOf(field), element))) return "form";
  if (!sparse()) return null;
  if (inside.slice(0, 3).some((each) => each.matches(headings) || isHeadingName.test(namesOf(each)))) return "heading";
  return "main";
};

// The displayed texts of a rule, in one of its settings.
const blocksSaying = (rule) => {
  if (!document.body) return [];
  const settings = rule.in ?? ["overlay", "alert", "heading"];
  return innermost(document.body, rule.says, []).filter((element) => {
    const shown = shownIn(element);
    return shown.length <= MESSAGE && saysAny(shown, rule.says) && !(rule.unless && saysAny(shown, rule.unless)) &&
      displayed(element) && settings.includes(settingOf(element, rule.lists));
  });
};

// The form around a field; where there is none, what stands close around it.
const formOf = (field) => field.closest("form, dialog, [role=dialog], [class*=modal i]") ?? around(field);

const around = (element) => {
  const form = groupOf(element);
  if (form) return form;
  let at = element;
  for (let up = 0; up < 4 && parentOf(at) && parentOf(at) !== document.body; up += 1) at = parentOf(at);
  return at;
};

// Where the other signals of a rule must stand: in the same dialog or form; on a page with little else, anywhere.
const scopeOf = (element) => {
  const overlay = overlayOf(element);
  if (overlay) return overlay;
  return takesPage() && sparse() ? document.body : around(element);
};

// A page with little on it but its message.
const sparse = () => once("sparse", () =>
  !showsMoreThan(document.body ?? document.documentElement, 1500) && inPage("a[href]").filter((link, at) => at < 300 && displayed(link)).length <= 30);

// A page on which there is nothing to read and nothing to use.
const bare = () => once("bare", () => !showsMoreThan(document.body ?? document.documentElement, 40) &&
  shownInPage("input, button, select, textarea, a[href]").length === 0);
