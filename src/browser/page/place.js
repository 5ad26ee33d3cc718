// Where this document is. It needs nothing else, so that it can be asked before the scripts are there.
const place = () => ({
  url: location.href,
  origin: location.origin,
  host: location.host,
  path: location.pathname,
  title: document.title,
  document: document.documentURI,
  status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
});
