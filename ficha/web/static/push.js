// Turns notifications on and off on this device. The browser asks the person; what it gives goes by the page's own form.
const on = document.getElementById("push-on"), off = document.getElementById("push-off");
const show = (id, is) => { document.getElementById(id).hidden = !is; };
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
const worker = () => navigator.serviceWorker.register("/push-worker.js").then(() => navigator.serviceWorker.ready);

function fill(form, given) {
  for (const [name, value] of Object.entries(given)) form.elements[name].value = value;
  form.submit();
}

on.addEventListener("submit", async (event) => {
  event.preventDefault();
  show("push-denied", false);
  try {
    if (await Notification.requestPermission() !== "granted") throw new Error("not allowed");
    const found = await (await worker()).pushManager.subscribe(
      { userVisibleOnly: true, applicationServerKey: bytes(on.dataset.key) });
    const { endpoint, keys } = found.toJSON();
    fill(on, { endpoint, p256dh: keys.p256dh, auth: keys.auth });
  } catch {
    show("push-denied", true);
  }
});

off.addEventListener("submit", async (event) => {
  event.preventDefault();
  const found = await (await worker()).pushManager.getSubscription();
  const endpoint = found ? found.endpoint : "";
  if (found) await found.unsubscribe().catch(() => {});
  fill(off, { endpoint });
});

if (navigator.serviceWorker && window.PushManager && window.Notification) {
  show("push-not", false);
  show("push-on", true);
  navigator.serviceWorker.getRegistration("/").then((known) => known && known.pushManager.getSubscription())
    .then((found) => { if (found) { show("push-on", false); show("push-off", true); } }).catch(() => {});
}
