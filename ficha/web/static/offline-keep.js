// Keeps the viewer on this phone. `data-scopes` says where: at "/e/" and "/E/" from the first visit, so that any sticker
// that is scanned without a network opens in the viewer instead of failing.
if ("serviceWorker" in navigator) {
  for (const scope of document.currentScript.dataset.scopes.split(" ")) {
    navigator.serviceWorker.register("/e/offline/worker.js", { scope }).catch(() => {});
  }
}
