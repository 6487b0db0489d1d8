// What the page of a sticker adds where scripts run. Comments and indentation stay with us: see script.py.
const [here] = location.pathname.match(/^\/e\/\w{6}\/\w{26}/i) || [];
const lost = {
  es: "Sin conexión: el aviso no ha salido todavía. Llame a los números de esta página. Seguimos intentándolo mientras esté abierta.",
  en: "No connection: the alert has not gone out yet. Call the numbers on this page. We keep trying while it is open.",
  pt: "Sem conexão: o aviso ainda não saiu. Ligue para os números desta página. Continuamos tentando enquanto estiver aberta.",
};

// The page puts itself aside: asking for it again would be a second reading in the owner's log, and bytes on a bad signal.
// Not what broken glass shows, which is for an hour, nor a copy, which would never grow old.
function keep() {
  if (!here || !window.caches || location.pathname !== here || document.querySelector("#deep,#kept")) return;
  const name = here.toUpperCase(), html = "<!doctype html>" + document.documentElement.outerHTML;
  caches.open("ficha " + name)
    .then((cache) => cache.put(name, new Response(html, { headers: { "x-seen": Date.now() } }))).catch(() => {});
}

// A stream that was refused is over for the browser, not for us: the page has said that it keeps itself up to date.
function live() {
  if (!here || !document.querySelector(".alert") || !window.EventSource) return;
  const news = new EventSource(here + "/vivo" + location.search);
  news.onerror = () => news.readyState === 2 && setTimeout(live, 5000);
  news.onmessage = (event) => {
    const list = document.querySelector(".alert ul");
    if (!list) return location.reload();
    const [title, ...lines] = JSON.parse(event.data);
    document.querySelector(".alert b").textContent = title;
    list.textContent = "";
    lines.forEach((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      list.append(item);
    });
  };
}

// A position when there is one soon: the alert does not wait for it.
const place = () => new Promise((done) => {
  setTimeout(done, 4000);
  navigator.geolocation.getCurrentPosition(({ coords }) => done(coords), () => done(),
    { enableHighAccuracy: true, timeout: 3500, maximumAge: 30000 });
});

function tell(form) {
  if (form.querySelector(".tell")) return;
  const said = document.createElement("p");
  said.className = "tell";
  said.setAttribute("role", "alert");
  said.textContent = lost[document.documentElement.lang];
  form.append(said);
}

// Asked twice is one emergency, so whatever is in doubt is sent again.
async function send(form) {
  const late = setTimeout(tell, 9000, form);
  try {
    const coords = navigator.geolocation && await place(), { lat, lon, precision } = form.elements;
    if (coords) {
      lat.value = coords.latitude;
      lon.value = coords.longitude;
      precision.value = Math.round(coords.accuracy);
    }
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (answer.status > 499) throw answer;
    if (!answer.ok) return form.submit();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    form.closest(".call").replaceWith(page.querySelector(".call"));
    const box = document.querySelector(".alert");
    box.tabIndex = -1;
    box.focus();
    keep();
    live();
  } catch (error) {
    tell(form);
    setTimeout(send, 5000, form);
  } finally {
    clearTimeout(late);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.elements.lat) return;
  event.preventDefault();
  form.querySelector("button").disabled = true;
  send(form);
});

keep();
live();
if (here && "serviceWorker" in navigator) {
  const keeper = navigator.serviceWorker, add = (at, scope) => keeper.register(at, { scope }).catch(() => {});
  add(here + "/sw.js", here);
  // Stickers that carry their lines open in the viewer without a network. It is larger than this page, so it comes later.
  setTimeout(add, 5000, "/e/offline/worker.js", "/E/");
}
