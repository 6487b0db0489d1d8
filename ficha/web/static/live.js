// Shows at once what happens to the family's records: the stream of events says that something did, the page says what.
// The browser connects again by itself, and tells the last event it got; what was missed comes first then.
const place = document.getElementById("live");
let stream;

const page = (address) => fetch(address).then((answer) => (answer.ok && !answer.redirected ? answer.text() : null))
  .then((text) => text === null ? null : new DOMParser().parseFromString(text, "text/html")).catch(() => null);

// Replaced only if it differs, so that a screen reader says what is new and the focus stays; a fold that somebody opened
// stays open.
function put(old, fresh) {
  const folds = [...old.querySelectorAll("details")];
  fresh.querySelectorAll("details").forEach((one, at) => { one.open = Boolean(folds[at]?.open); });
  const same = old.innerHTML.trim() === fresh.innerHTML.trim();
  if (!same) old.replaceChildren(...fresh.childNodes);
}

function banner(opened) {
  const address = place.dataset.from;
  const found = opened ? `${address}${address.includes("?") ? "&" : "?"}abierta=${opened}` : address;
  page(found).then((fresh) => fresh && put(place, fresh.body));
}

// Parts of this page that say how an emergency stands.
function parts() {
  const live = [...document.querySelectorAll("[data-live]")];
  if (live.length) page(location.href).then((fresh) => {
    if (!fresh) return;
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

document.addEventListener("visibilitychange", () => (document.hidden ? hush() : listen()));
addEventListener("pagehide", hush);
addEventListener("pageshow", listen);
