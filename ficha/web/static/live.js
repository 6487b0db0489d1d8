// Shows at once what happens to the family's records, and on the console what waits for staff: the stream of events says that something did, the page says what.
// The browser connects again by itself, and tells the last event it got; what was missed comes first then.
const place = document.getElementById("live");
let stream;

const page = (address, headers = {}) => fetch(address, { headers })
  .then((answer) => (answer.status === 200 && !answer.redirected ? answer.text() : null))
  .then((text) => text === null ? null : new DOMParser().parseFromString(text, "text/html")).catch(() => null);

// The same link, button or field in a part that was replaced.
function again(part, focused) {
  const link = focused.getAttribute("href") || focused.form?.getAttribute("action");
  return [...part.querySelectorAll("a, button, input, select, summary, [tabindex]")].find((one) => focused.id
    ? one.id === focused.id
    : one.tagName === focused.tagName && one.name === focused.name && one.textContent === focused.textContent
      && (one.getAttribute("href") || one.form?.getAttribute("action")) === link);
}

// Replaced only if it differs, so that a screen reader says what is new. The focus stays where it was, and a fold that
// somebody opened stays open.
function put(old, fresh) {
  const folds = [...old.querySelectorAll("details")];
  fresh.querySelectorAll("details").forEach((one, at) => {
    const before = one.id ? folds.find((fold) => fold.id === one.id) : folds[at];
    one.open = Boolean(before?.open);
  });
  if (old.innerHTML.trim() === fresh.innerHTML.trim()) return;
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  old.replaceChildren(...fresh.childNodes);
  if (focused) again(old, focused)?.focus({ preventScroll: true });
}

function banner(opened) {
  const address = place.dataset.from;
  const found = opened ? `${address}${address.includes("?") ? "&" : "?"}abierta=${opened}` : address;
  page(found).then((fresh) => fresh && put(place, fresh.body));
}

// Parts of this page that say how an emergency stands. Where a look is noted, the server is told what this page shows:
// it sends nothing if there is nothing new, and notes no look.
function parts() {
  const live = [...document.querySelectorAll("[data-live]")], shown = document.querySelector("[data-shown]");
  if (live.length) page(location.href, shown ? { "X-Ficha-Shown": shown.dataset.shown } : {}).then((fresh) => {
    if (!fresh) return;
    if (shown) shown.dataset.shown = fresh.querySelector("[data-shown]")?.dataset.shown ?? "";
    document.title = fresh.title;
    live.forEach((old) => {
      const one = fresh.getElementById(old.id);
      if (one) put(old, one);
    });
  });
}

function told(event) {
  const said = JSON.parse(event.data);
  parts();
  if (!said.simulacro) banner(event.type === "access.opened" ? said.fmd_code : 0);
}

// A page that nobody looks at listens to nothing: streams are few.
function listen() {
  if (stream || document.hidden || !window.EventSource) return;
  stream = new EventSource("/v2/events");
  stream.onopen = () => { banner(0); parts(); };
  ["emergency.opened", "emergency.changed", "access.opened"].forEach((kind) => stream.addEventListener(kind, told));
  stream.addEventListener("bye", hush);
  // Refused, as when there are too many: asked again later.
  stream.onerror = () => { if (stream && stream.readyState === 2) { hush(); setTimeout(listen, 15000); } };
}

function hush() {
  if (stream) stream.close();
  stream = null;
}

// Where times tell how long ago something was, they grow.
const every = document.querySelector("[data-every]");
if (every) setInterval(() => document.hidden || parts(), 1000 * every.dataset.every);

document.addEventListener("visibilitychange", () => (document.hidden ? hush() : listen()));
addEventListener("pagehide", hush);
addEventListener("pageshow", listen);
