// Where a scan must go on: frames that only the driver can enter, and shadow roots that only it can open.

// Smaller frames show nothing that could be asked.
const LEAST_FRAME = [100, 30];
const MOST_FRAMES = 8;
const MOST_HOSTS = 12;

// The hosts of vendors whose frames are known by their route.
const isVendorFrame = (frame) => rules.some((rule) =>
  rule.frames?.some((wanted) => wanted.hosts && addressFits(addressOfFrame(frame), { hosts: wanted.hosts })));

// A frame of the same origin can be asked from here whether it could hold anything.
const couldHoldAnything = (frame) => {
  let inner;
  try {
    inner = frame.contentDocument?.documentElement;
  } catch {
    inner = null;
  }
  if (!inner) return true;
  const markup = inner.innerHTML.toLowerCase();
  const words = told(inner.textContent);
  const has = (key) => markup.includes(key);
  return /<i?frame|<[a-z]+-[a-z]/.test(markup) || rules.some((rule) => rule.tier !== "loaded" &&
    (rule.keys?.length || rule.html || rule.says) && (!rule.keys?.length || rule.keys.some(has)) &&
    (!rule.html || rule.html.some(has)) && (!rule.stems || rule.stems.some((stem) => words.includes(stem))) && (!rule.says || mayBeSaidIn(words, rule.says)));
};

const framesToEnter = () => {
  if (!hasKey("<iframe") && !hasKey("<frame")) return [];
  const shown = inPage("iframe, frame").filter((frame) =>
    !/^(moz|chrome)-extension:/.test(addressOfFrame(frame)) && displayed(frame, ...LEAST_FRAME) && !isVendorFrame(frame));
  return shown.filter(couldHoldAnything).slice(0, MOST_FRAMES).map((element) => {
    const box = element.getBoundingClientRect();
    const covers = box.width * box.height >= innerWidth * innerHeight * 0.5;
    const counted = known.how.everywhere || (known.target != null && onPath(element, known.target));
    return { element, place: overlayOf(element) ? "overlay" : covers && takesPage() ? "covers" : "flow", counts: Boolean(counted) };
  });
};

// Elements that show something although nothing in them is to be seen: a closed shadow root may be theirs. Each is named
// once, and again when its size changed.
const namedHosts = new WeakMap();
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
  const empty = inPage(mayHost.split(", ").map((name) => `${name}:empty`).join(", "));
  const custom = may.custom ? inPage("*").filter((each) => each.localName.includes("-")) : [];
  const holders = hasKey("turnstile") ? inPage(".cf-turnstile, .cf-turnstile *, [data-sitekey], [data-sitekey] *") : [];
  const shown = inFront();
  const hosts = [...new Set([...empty, ...custom, ...holders, ...shown])].filter((each) => !shadowOf(each) && each.attachShadow).filter((each) => {
    const box = each.getBoundingClientRect();
    const size = `${Math.round(box.width)} ${Math.round(box.height)}`;
    const large = box.width >= LEAST_FRAME[0] && box.height >= LEAST_FRAME[1] && displayed(each);
    if (!(large || shown.includes(each)) || namedHosts.get(each) === size) return false;
    namedHosts.set(each, size);
    return true;
  });
  return hosts.slice(0, MOST_HOSTS);
};

// A closed shadow root that the driver opened. From now on it is looked into like an open one.
const openRoot = (host, root) => {
  openedRoots.set(host, root);
  may.token = null;
  return true;
};
