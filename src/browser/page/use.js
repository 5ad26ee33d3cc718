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

// Where a secret would go that is typed into this field: the origin of its document, and those that its form may be sent
// to. A form without an action is sent to its own document; one with a script stays in it.
const typing = (element) => {
  const attribute = (of, name) => Element.prototype.getAttribute.call(of, name);
  const form = element.form ?? element.closest("form");
  // Image buttons are not among a form's elements, and a field may be called "elements".
  const elements = form ? Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, "elements").get.call(form) : [];
  const images = form ? [...form.getRootNode().querySelectorAll("input[type=image]")].filter((each) => each.form === form) : [];
  const submits = [...elements, ...images].filter((each) => attribute(each, "formaction") !== null);
  const addresses = [form && attribute(form, "action"), ...submits.map((each) => attribute(each, "formaction"))]
    .filter(Boolean).map((address) => URL.parse(address, document.baseURI)).filter((url) => url?.protocol !== "javascript:");
  return { origin: location.origin, sent: addresses.map((url) => url?.origin ?? "null") };
};

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

// A password stays in its field, whoever asks for it.
const secret = (element) => element.localName === "input" && element.type === "password";
const readValue = (element) => (secret(element) ? null : valueOf(element));
const textOf = (element, attribute) => {
  if (attribute === "value" && secret(element)) return null;
  return attribute ? element.getAttribute(attribute) : shownText(element);
};
