// Keeps the page of one sticker on this phone, for a day: a network that goes away must not take it along.
const DAY = 24 * 60 * 60 * 1000;
const CACHE = "ficha-responder " + registration.scope;
const SEEN = "x-ficha-seen";

addEventListener("install", () => self.skipWaiting());
addEventListener("activate", (event) => event.waitUntil(self.clients.claim().then(keepOpenPages)));

addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.mode === "navigate") event.respondWith(answer(event.request));
});

// The page that registered us was loaded before we were there.
async function keepOpenPages() {
  for (const page of await self.clients.matchAll({ type: "window" })) {
    if (page.url.startsWith(registration.scope)) await answer(new Request(page.url, { credentials: "same-origin" }), false);
  }
}

async function answer(request, offline = true) {
  try {
    const fresh = await fetch(request);
    if (fresh.status === 404 || fresh.status === 410) await forget();
    else if (fresh.ok && !fresh.redirected) await keep(request, fresh.clone());
    return fresh;
  } catch (error) {
    if (!offline) return undefined;
    return (await kept(request)) || Response.error();
  }
}

async function keep(request, fresh) {
  const headers = new Headers(fresh.headers);
  headers.set(SEEN, String(Date.now()));
  headers.delete("content-encoding");
  const copy = new Response(await fresh.arrayBuffer(), { status: 200, headers });
  await (await caches.open(CACHE)).put(request.url, copy);
}

async function kept(request) {
  const cache = await caches.open(CACHE);
  const found = (await cache.match(request.url)) || (await cache.match(request.url, { ignoreSearch: true }));
  if (!found) return undefined;
  if (Date.now() - Number(found.headers.get(SEEN)) < DAY) return found;
  await forget();
  return undefined;
}

// The sticker was lost, or a day is over.
async function forget() {
  await caches.delete(CACHE);
  await registration.unregister();
}
