// Runs without a page. What it keeps is in `fichaOffline`, which the server puts in front of this script.
// Another worker may use it with importScripts("/e/offline/worker.js"), and answer with fichaOffline.viewer().
const { version, page, keys, files } = self.fichaOffline;
const CACHE = `ficha-offline-${version}`;

// The language and the fragment are the script's business, not the address's.
const kept = (address) => caches.match(address, { ignoreSearch: true, ignoreVary: true });

self.fichaOffline.viewer = () => kept(page);

addEventListener("install", (event) => {
  const fresh = [page, keys, ...files].map((address) => new Request(address, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)).then(() => self.skipWaiting()));
});

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith("ficha-offline-") && name !== CACHE;
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== location.origin) return;
  if (request.mode === "navigate" && address.pathname !== page) {
    event.respondWith(responderPage(request, address));
  } else if (address.pathname === keys) {
    const fresh = refreshedKeys();
    event.waitUntil(fresh.catch(() => {}));
    event.respondWith(request.cache === "reload" ? fresh : kept(keys).then((found) => found || fresh));
  } else if (address.pathname === page || files.includes(address.pathname)) {
    event.respondWith(kept(address.pathname).then((found) => found || fetch(request)));
  }
});

// The network's answer whenever there is one. A service that cannot answer says less than a QR that holds something.
async function responderPage(request, address) {
  try {
    const answer = await fetch(request);
    return answer.status > 499 && address.hash ? (await kept(page)) || answer : answer;
  } catch {
    return (await kept(page)) || Response.error();
  }
}

async function refreshedKeys() {
  const answer = await fetch(keys, { cache: "reload" });
  if (answer.ok) await (await caches.open(CACHE)).put(keys, answer.clone());
  return answer;
}
