// What a script does not see into: frames that only the driver can enter, and shadow roots that only it can open.

// Smaller frames show nothing that could be asked.
const LEAST_FRAME = [100, 30];
const MOST_HOSTS = 12;

// The displayed frames in which something may be asked.
const framesShown = () => (!hasMark("<iframe") && !hasMark("<frame") ? [] : inPage("iframe, frame").filter((frame) =>
  !/^(moz|chrome)-extension:/.test(addressOfFrame(frame)) && displayed(frame, ...LEAST_FRAME)));

const addressOfFrame = (frame) => frame.src || frame.getAttribute("src") || "";

// Elements that show something although nothing in them is to be seen: a closed shadow root may be theirs. For each the
// driver is asked once, and again when its size changed.
const askedHosts = new WeakMap();
const sizeOf = (element) => {
  const box = element.getBoundingClientRect();
  return `${Math.round(box.width)} ${Math.round(box.height)}`;
};
const mayHost = "article, aside, blockquote, body, div, footer, h1, h2, h3, h4, h5, h6, header, main, nav, p, section, span";

// What lies in front at some points of the window and has no box there: its shadow root draws it. A closed one names its host.
const inFront = () => {
  const hosts = [];
  for (const across of [0.08, 0.25, 0.5, 0.75, 0.92]) {
    for (const down of [0.08, 0.25, 0.5, 0.75, 0.92]) {
      const [x, y] = [innerWidth * across, innerHeight * down];
      const front = topmost(x, y);
      if (!front?.attachShadow || front === document.body || front.children.length || shadowOf(front)) continue;
      const box = front.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) hosts.push(front);
    }
  }
  return hosts;
};

const hostsToOpen = () => {
  // What says that it is a picture is drawn by its style.
  const empty = inPage(mayHost.split(", ").map((name) => `${name}:empty:not([role=img])`).join(", "));
  const custom = page.custom ? inPage("*").filter((each) => each.localName.includes("-")) : [];
  const holders = hasMark("turnstile") ? inPage(".cf-turnstile, .cf-turnstile *, [data-sitekey], [data-sitekey] *") : [];
  const shown = inFront();
  const hosts = [...new Set([...empty, ...custom, ...holders, ...shown])].filter((each) => !shadowOf(each) && each.attachShadow).filter((each) => {
    const box = each.getBoundingClientRect();
    const large = box.width >= LEAST_FRAME[0] && box.height >= LEAST_FRAME[1] && displayed(each);
    return (large || shown.includes(each)) && askedHosts.get(each) !== sizeOf(each);
  });
  return hosts.slice(0, MOST_HOSTS);
};

// The driver was asked for the roots of these hosts.
const asked = (hosts) => {
  for (const host of hosts) askedHosts.set(host, sizeOf(host));
  return true;
};
