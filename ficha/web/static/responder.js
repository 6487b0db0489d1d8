// What the page of a sticker adds where scripts run. Comments and indentation stay with us: see script.py.
// The page of a sticker that opens nothing is not kept: that may change, and there is nothing to read.
const [here] = (!document.getElementById("ended") && location.pathname.match(/^\/e\/\w{6}\/\w{26}/i)) || [];
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
    fill(list, lines);
  };
  // What the family wrote; nothing once the emergency is over, and then nobody can write any more.
  news.addEventListener("said", (event) => {
    const list = document.querySelector("#relay ul"), lines = JSON.parse(event.data);
    if (list && lines.length) fill(list, lines);
    if (over = !lines.length) document.querySelectorAll("#relay,#write,#place,.alert p").forEach((box) => box.remove());
  });
}

function fill(list, lines) {
  if (list.childElementCount === lines.length && [...list.children].every((item, at) => item.textContent === lines[at])) return;
  list.textContent = "";
  lines.forEach((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    list.append(item);
  });
}

// Without scripts the page reloads, and a link leads to one that can be typed into; here it is at hand.
function write() {
  document.querySelectorAll("#write,#place").forEach((box) => { box.hidden = false; });
}

// A position, whenever it comes: an alert does not wait for it, and what comes late is sent after it.
let found, over;
const wait = (time) => new Promise((done) => setTimeout(done, time));
const look = () => found = found || new Promise((done) => navigator.geolocation ? navigator.geolocation.getCurrentPosition(
  ({ coords }) => done(coords), () => done(found = 0), { enableHighAccuracy: true, timeout: 90000, maximumAge: 30000 }) : done());

// The emergency number of the phone's time zone, where the language of its browser names no country.
const zones = "911Caracas Asuncion Montevideo Guayaquil Panama Costa_Rica Tegucigalpa El_Salvador Mexico_City Monterrey Tijuana Santo_Domingo Puerto_Rico New_York Chicago Denver Los_Angeles Toronto,123Bogota Guatemala,106Lima,118La_Paz,131Santiago Punta_Arenas,128Managua,104Havana,107Buenos_Aires Cordoba,192Sao_Paulo Manaus Fortaleza Recife Bahia Belem,112Madrid Canary Lisbon Paris Berlin Rome,999London";
function dial() {
  const link = document.querySelector("[data-zone]");
  const city = Intl.DateTimeFormat().resolvedOptions().timeZone.split("/").pop();
  const row = link && zones.split(",").find((one) => one.slice(3).split(" ").includes(city));
  if (!row) return;
  link.href = "tel:" + row.slice(0, 3);
  document.querySelectorAll(".n").forEach((one) => { one.textContent = row.slice(0, 3); });
  document.querySelectorAll(".unknown").forEach((one) => one.remove());
}

function tell(form) {
  if (form.querySelector(".tell")) return;
  const said = document.createElement("p");
  said.className = "tell";
  said.setAttribute("role", "alert");
  said.textContent = form.dataset.lost || lost[document.documentElement.lang];
  form.append(said);
}

// Asked twice is one emergency, so whatever is in doubt is sent again.
async function send(form) {
  const late = setTimeout(tell, 9000, form);
  const button = form.querySelector("button"), label = button.innerHTML, isPlace = form.id === "place", isWords = form.id === "say";
  try {
    if (button.dataset.looking) button.textContent = button.dataset.looking;
    const coords = isWords ? 0 : await Promise.race([look(), wait(isPlace ? 20000 : 4000)]), { lat, lon, precision } = form.elements;
    button.innerHTML = label;
    if (coords) {
      lat.value = coords.latitude;
      lon.value = coords.longitude;
      precision.value = Math.round(coords.accuracy);
    }
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (answer.status > 499) throw answer;
    if (!answer.ok) return form.submit();
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const typed = isWords ? [] : [...document.querySelectorAll("#mensaje,#telefono,#write [open]")];
    (document.querySelector(".call") || form).replaceWith(page.querySelector(".call"));
    typed.forEach(({ id, value }) => {
      const field = document.querySelector(id ? "#" + id : "#write details") || {};
      if (id) field.value = value;
      else field.open = true;
    });
    write();
    over = 0;
    const box = document.querySelector(isWords ? "#relay" : ".alert") || document.querySelector(".call");
    box.tabIndex = -1;
    box.focus();
    dial();
    keep();
    live();
    if (!coords && !isPlace && !isWords) look().then((late) => late && !over && send(document.getElementById("place") || form));
  } catch (error) {
    button.innerHTML = label;
    tell(form);
    setTimeout(send, 5000, form);
  } finally {
    clearTimeout(late);
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.elements.lat && form.id !== "say") return;
  event.preventDefault();
  form.querySelector("button").disabled = true;
  if (form.id === "place") found = 0;
  send(form);
});

write();
dial();
keep();
live();
if (here && "serviceWorker" in navigator) {
  const keeper = navigator.serviceWorker, add = (at, scope) => keeper.register(at, { scope }).catch(() => {});
  add(here + "/sw.js", here);
  // Stickers that carry their lines open in the viewer without a network. It is larger than this page, so it comes later.
  setTimeout(add, 5000, "/e/offline/worker.js", "/E/");
}
