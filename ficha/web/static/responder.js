const here = location.pathname.replace(/\/$/, "");
if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register(here + "/sw.js", { scope: here }).catch(() => {});
  navigator.serviceWorker.register("/e/offline/worker.js", { scope: "/e/offline" }).catch(() => {});
}
document.addEventListener("submit", (event) => {
  const form = event.target, lat = form.elements.lat;
  if (!lat || lat.value || form.dataset.asked || !navigator.geolocation) return;
  event.preventDefault();
  form.dataset.asked = "yes";
  const send = () => form.submit();
  const late = setTimeout(send, 4000);
  navigator.geolocation.getCurrentPosition(({ coords }) => {
    clearTimeout(late);
    lat.value = coords.latitude;
    form.elements.lon.value = coords.longitude;
    form.elements.precision.value = Math.round(coords.accuracy);
    send();
  }, () => { clearTimeout(late); send(); }, { enableHighAccuracy: true, timeout: 3500, maximumAge: 30000 });
});
if (document.querySelector(".alert") && window.EventSource) {
  const news = new EventSource(here + "/vivo" + location.search);
  news.onmessage = (event) => {
    const list = document.querySelector(".alert ul");
    if (!list) return location.reload();
    list.replaceChildren(...JSON.parse(event.data).map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }));
  };
}
