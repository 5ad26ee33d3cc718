// The frames in which a scan must go on.

// Of a document with more frames than this, the rest is not told. How many are entered is decided outside.
const MOST_TOLD = 40;

// The hosts of vendors whose frames are known by their route.
const isVendorFrame = (frame) => FRAME_HOSTS.some((host) => addressFits(addressOfFrame(frame), { hosts: [host] }));

// A frame of the same origin is glanced into from here, to know whether it could hold anything.
const glanceInto = (frame) => {
  try {
    const inner = frame.contentDocument.documentElement;
    const markup = inner.innerHTML.toLowerCase();
    return {
      address: frame.contentDocument.location.href,
      title: told(frame.contentDocument.title),
      status: statusOfPage(frame.contentWindow),
      words: inner.textContent.length > MOST_WORDS ? null : told(inner.textContent),
      marks: MARKS.flatMap((mark, at) => (markup.includes(mark) ? [at] : [])),
      frames: /<i?frame|<[a-z]+-[a-z]/.test(markup),
    };
  } catch {
    return null; // Of another origin, or gone.
  }
};

const framesToEnter = () => framesShown().filter((frame) => !isVendorFrame(frame)).slice(0, MOST_TOLD).map((element) => {
  const box = element.getBoundingClientRect();
  const covers = box.width * box.height >= innerWidth * innerHeight * 0.5;
  const counted = known.how.everywhere || (known.target != null && onPath(element, known.target));
  const place = overlayOf(element) ? "overlay" : covers && takesPage() ? "covers" : "flow";
  return { element, place, counts: Boolean(counted), inside: glanceInto(element) };
});
