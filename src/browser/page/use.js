// Reading and setting the state of one element, and of the page.

const valueOf = (element) => (element.isContentEditable ? element.innerText.replace(/\n$/, "") : element.value ?? "");

// Text with its line ends made one kind, as fields hold it.
const lines = (text) => text.replace(/\r\n?/g, "\n").replace(/\u00a0/g, " ");

// Does the field hold this text? A secret is not read back, only counted.
const holds = (element, text) => lines(valueOf(element)) === lines(text);
const holdsLength = (element, length) => [...valueOf(element)].length === length;

const field = (element) => ({
  kind: element.isContentEditable ? "editable" : element.localName === "textarea" ? "lines" : "line",
  empty: !element.isContentEditable && element.value === "" && !element.validity?.badInput,
});

const focus = (element) => {
  element.focus();
  return true;
};

const ticked = (element) => {
  const field = element.localName === "label" && element.control ? element.control : element;
  if ("checked" in field) return field.checked;
  for (const state of ["aria-checked", "aria-pressed", "aria-selected"]) {
    if (field.hasAttribute(state)) return field.getAttribute(state) === "true";
  }
  return null;
};

// The one option of a select that shows this text.
const option = (element, text) => {
  const options = [...element.querySelectorAll("option")].filter((each) => same(each.label || each.text, text, true));
  return { element: options.length === 1 ? options[0] : null, count: options.length,
    options: [...element.querySelectorAll("option")].slice(0, 20).map((each) => each.label || each.text) };
};

const chosen = (element) => [...(element.selectedOptions ?? [])].map((each) => normal(each.label || each.text)).join(" ");

const scroll = (where, element) => {
  if (element) element.scrollIntoView({ block: "center", behavior: "instant" });
  else scrollTo({ top: where === "top" ? 0 : document.documentElement.scrollHeight, behavior: "instant" });
  return true;
};

const asksForPassword = () => byCss(document, "input[type=password]").some((field) => displayed(field));

// A request from this document, with its cookies. A redirect is not followed, and the body is read up to a bound. From a
// document of another origin nothing is sent.
const request = async ({ url, method, headers, body, limit, most }) => {
  if (new URL(url).origin !== location.origin) return { elsewhere: true };
  const stop = new AbortController();
  const late = setTimeout(() => stop.abort(), limit);
  try {
    const answer = await fetch(url, {
      method, headers, body: body ?? undefined, credentials: "include", redirect: "manual", cache: "no-store",
      signal: stop.signal,
    });
    if (answer.type === "opaqueredirect") return { status: 302, url, headers: {}, body: "" };
    const read = await readBody(answer, most);
    if (read.tooLong) return { failed: "too long" };
    return { status: answer.status, url: answer.url, headers: Object.fromEntries(answer.headers), body: read.text };
  } catch (error) {
    return { failed: stop.signal.aborted ? "timeout" : "network", message: String(error?.message ?? error) };
  } finally {
    clearTimeout(late);
  }
};

const readBody = async (answer, most) => {
  if (!answer.body) return { text: "" };
  const reader = answer.body.getReader();
  const pieces = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      return { tooLong: true };
    }
    pieces.push(value);
  }
  const charset = /charset=["']?([^;"']+)/i.exec(answer.headers.get("content-type") ?? "")?.[1] ?? "utf-8";
  return { text: await new Response(new Blob(pieces)).arrayBuffer().then((bytes) => decode(bytes, charset)) };
};

const decode = (bytes, charset) => {
  try {
    return new TextDecoder(charset.trim()).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
};

// Blacks out what people typed, before a picture is taken; without `on` it is taken away again.
const mask = (on, origins) => {
  for (const root of roots(document)) {
    root.querySelectorAll("style[data-sunup-mask]").forEach((style) => style.remove());
    if (!on) continue;
    const style = document.createElement("style");
    style.dataset.sunupMask = "";
    style.textContent = `input, textarea, select, [contenteditable]:not([contenteditable=false]) {
      background: #000 !important; color: #000 !important; caret-color: #000 !important;
      text-shadow: none !important; -webkit-text-fill-color: #000 !important; }
      input[type=button], input[type=submit], input[type=reset], input[type=checkbox], input[type=radio] {
      background: revert !important; color: revert !important; -webkit-text-fill-color: revert !important; }
      ::placeholder { color: #000 !important; }`;
    (root.head ?? root).append(style);
    for (const frame of root.querySelectorAll("iframe")) maskFrame(frame, style, origins);
  }
  return true;
};

// A frame that cannot be looked into, of the site's own, may hold fields: it is hidden as a whole.
const maskFrame = (frame, style, origins) => {
  try {
    for (const root of roots(frame.contentDocument)) (root.head ?? root).append(style.cloneNode(true));
  } catch {
    const own = origins.some((origin) => frame.src.startsWith(`${origin}/`));
    if (own) frame.style.setProperty("visibility", "hidden", "important");
  }
};

const roots = (root) => [root, ...[...root.querySelectorAll("*")].filter((each) => each.shadowRoot)
  .flatMap((each) => roots(each.shadowRoot))];

const textOf = (element, attribute) => (attribute ? element.getAttribute(attribute) : shownText(element));
