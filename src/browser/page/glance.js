// The first look for what asks for a person: what the page says and has, by which it is known which rules it could hold. It
// rides in the look at what is about to be used, or at what a step waited for.
const glance = () => {
  const began = performance.now();
  survey();
  const seen = {
    address: location.href,
    title: told(document.title),
    status: statusOfPage(),
    words: page.words,
    marks: MARKS.flatMap((mark, at) => (hasMark(mark) ? [at] : [])),
    frames: framesShown().length > 0,
    hosts: hostsToOpen(),
    early: document.readyState === "loading" || location.href === "about:blank",
  };
  return { ...seen, took: performance.now() - began };
};
