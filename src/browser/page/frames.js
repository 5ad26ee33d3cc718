// The frames in which a scan must go on.

const MOST_FRAMES = 8;

// The hosts of vendors whose frames are known by their route.
const isVendorFrame = (frame) => FRAME_HOSTS.some((host) => addressFits(addressOfFrame(frame), { hosts: [host] }));

const framesToEnter = () => framesShown().filter((frame) => !isVendorFrame(frame)).slice(0, MOST_FRAMES).map((element) => {
  const box = element.getBoundingClientRect();
  const covers = box.width * box.height >= innerWidth * innerHeight * 0.5;
  const counted = known.how.everywhere || (known.target != null && onPath(element, known.target));
  return { element, place: overlayOf(element) ? "overlay" : covers && takesPage() ? "covers" : "flow", counts: Boolean(counted) };
});
