// Shows the page of one sticker when the network is gone or the service cannot answer, for a day. The page put its copy there itself: responder.js.
// POLICY and KEPT stand in front of this: script.py.
const DAY = 24 * 60 * 60 * 1000;
const PATIENCE = 5000;
const OURS = "ficha /E/";
// Scanned in capitals or not, it is one sticker and one copy.
const HERE = new URL(registration.scope).pathname.toUpperCase();
const CACHE = "ficha " + HERE;

addEventListener("install", () => self.skipWaiting());

// With preload the network is asked while this script still wakes up.
addEventListener("activate", (event) => event.waitUntil(
  Promise.all([registration.navigationPreload && registration.navigationPreload.enable(), sweep()])));

addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.mode === "navigate") event.respondWith(answer(event));
});

async function answer(event) {
  const fresh = ask(event);
  // A sticker that was lost is forgotten even if nobody waited for the answer that says so.
  event.waitUntil(fresh.catch(() => {}).then(sweep));
  const copy = await kept();
  if (!copy) return fresh;
  const late = new Promise((done) => { setTimeout(done, PATIENCE, copy); });
  // A service that cannot answer says less than the copy.
  return Promise.race([fresh, late]).then((answer) => answer.status > 499 ? copy : answer, () => copy);
}

async function ask(event) {
  const fresh = (await event.preloadResponse) || (await fetch(event.request));
  if (fresh.status === 404 || fresh.status === 410) {
    await caches.delete(CACHE);
    await registration.unregister();
  }
  return fresh;
}

async function kept() {
  const found = await caches.match(HERE, { cacheName: CACHE });
  if (!found || isOld(found)) return undefined;
  const html = await found.text();
  const language = (/<html lang="(\w+)"/.exec(html) || [])[1] || "es";
  const seen = new Date(Number(found.headers.get("x-seen")))
    .toLocaleString(language, { weekday: "long", hour: "2-digit", minute: "2-digit" });
  const said = `<p class="tell" id="kept" role="status">${KEPT[language].replace("{time}", seen)}</p>`;
  return new Response(html.replace("<main>", () => `<main>${said}`), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": POLICY,
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

// A clock that was put back must not make a copy last longer.
function isOld(copy) {
  const age = Date.now() - Number(copy.headers.get("x-seen"));
  return !(age > -60000 && age < DAY);
}

// Every sticker's copy, not only this one's: nobody may ever open the others again. An empty cache is a page's that is
// just putting itself there.
async function sweep() {
  for (const name of await caches.keys()) {
    if (!name.startsWith(OURS)) continue;
    const copy = await caches.match(name.slice("ficha ".length), { cacheName: name });
    if (copy && isOld(copy)) await caches.delete(name);
  }
}
