// Nothing to see, and nothing that could become it: no element but scripts and what belongs into a head, no text.
const bare = () => {
  const unseen = ["script", "style", "noscript", "template", "link", "meta"];
  const seen = (node) => node.nodeType === 1 ? !unseen.includes(node.localName) : node.nodeType === 3 && /\S/.test(node.data);
  return document.documentElement?.localName === "html" && ![...(document.body?.childNodes ?? [])].some(seen);
};

// Where this document is. It needs nothing else, so that it can be asked before the scripts are there.
const place = () => {
  const status = performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0;
  // Chromium's own error pages: a variable in them says why, and for what address. One is shown for a refusal without a
  // body as well, which is an answer of the site.
  const told = location.protocol === "chrome-error:" ? window.loadTimeDataRaw ?? {} : null;
  const asked = told?.reloadButton?.reloadUrl;
  const at = asked ? new URL(asked) : location;
  const error = `chrome-error:?e=${encodeURIComponent(told?.errorCode ?? "")}&u=${encodeURIComponent(asked ?? "")}`;
  const answered = told && status >= 400 ? at.href : error;
  return {
    url: at.href,
    origin: at.origin,
    host: at.host,
    path: at.pathname,
    title: document.title.toWellFormed?.() ?? document.title,
    document: told ? answered : document.documentURI,
    status,
    bare: bare(),
    stand_in: Boolean(told) || (location.protocol.startsWith("http") && document.documentURI.startsWith("about:")),
  };
};
