// Shows notifications that come while no page of ours is open. Its only texts are those of the message.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  let said = {};
  try { said = event.data ? event.data.json() : {}; } catch { /* Not one of ours: something is shown all the same. */ }
  event.waitUntil(self.registration.showNotification(said.title || "Ficha", {
    body: said.body || "",
    lang: said.lang || "es",
    tag: said.tag || "ficha",
    // An alert stays on the screen until somebody has seen it.
    renotify: true, requireInteraction: true,
    data: { url: said.url || "/" },
  }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const url = new URL(event.notification.data.url, self.location.origin);
  if (url.origin === self.location.origin) event.waitUntil(self.clients.openWindow(url.href));
});
