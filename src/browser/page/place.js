// Where this document is. It needs nothing else, so that it can be asked before the scripts are there.
// Nothing to see, and nothing that could become it: no element but scripts and what belongs into a head, no text.
const bare = () => {
  const unseen = ["script", "style", "noscript", "template", "link", "meta"];
  const seen = (node) => node.nodeType === 1 ? !unseen.includes(node.localName) : node.nodeType === 3 && /\S/.test(node.data);
  return document.documentElement?.localName === "html" && ![...(document.body?.childNodes ?? [])].some(seen);
};

const place = () => ({
  url: location.href,
  origin: location.origin,
  host: location.host,
  path: location.pathname,
  document: document.documentURI,
  status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
  bare: bare(),
});
