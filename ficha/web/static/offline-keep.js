// Keeps the viewer on this phone. `data-scopes` says where: at "/e/offline" for its own page; a responder's page adds
// "/e/" and "/E/", and then a sticker that is scanned without a network opens in the viewer instead of failing.
if ("serviceWorker" in navigator) {
  for (const scope of document.currentScript.dataset.scopes.split(" ")) {
    navigator.serviceWorker.register("/e/offline/worker.js", { scope }).catch(() => {});
  }
}
