// Reads the fragment of a sticker's link, checks its signature and shows its lines. Nothing leaves the phone.
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ$*-.:";
const ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const MOST_LETTERS = 1200;
const MOST_BYTES = 4096;
const LANGUAGES = ["es", "en", "pt"];

const viewer = document.getElementById("viewer");
const nav = document.querySelector(".lang");
let language = preferred();
let known = null; // Phrases, words and dictionaries, once they are here.
let found = null; // The card, or why there is none.

class Refused extends Error {}

function preferred() {
  const asked = new URLSearchParams(location.search).get("l");
  const wanted = [asked, ...navigator.languages].map((tag) => (tag || "").slice(0, 2).toLowerCase());
  return wanted.find((tag) => LANGUAGES.includes(tag)) || "es";
}

// --- Reading ---

function fromBase41(text) {
  const bytes = [];
  for (let place = 0; place < text.length; place += 3) {
    const letters = [...text.slice(place, place + 3)].map((letter) => LETTERS.indexOf(letter));
    const number = letters.reduce((sum, value) => sum * 41 + value, 0);
    if (letters.length === 1 || letters.includes(-1) || number >= 256 ** (letters.length - 1)) {
      throw new Refused("unreadable");
    }
    if (letters.length === 3) bytes.push(number >> 8);
    bytes.push(number & 255);
  }
  return new Uint8Array(bytes);
}

async function opened(fragment) {
  if (fragment.length > MOST_LETTERS) throw new Refused("huge");
  if (!globalThis.crypto?.subtle || !globalThis.DecompressionStream) throw new Refused("too_old");
  const content = fromBase41(fragment);
  if (content.length <= 1 + ID_BYTES + SIGNATURE_BYTES) throw new Refused("unreadable");
  const dictionary = known.dictionaries[content[0]];
  if (!dictionary) throw new Refused(content[0] > 1 ? "newer" : "unreadable");
  const signed = content.subarray(0, -SIGNATURE_BYTES);
  const id = [...signed.subarray(1, 1 + ID_BYTES)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const { kty, crv, x, y } = await keyWith(id);
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, curve, false, ["verify"]);
  const signature = content.subarray(-SIGNATURE_BYTES);
  if (!await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, signature, signed)) {
    throw new Refused("altered");
  }
  return cardOf(await inflated(signed.subarray(1 + ID_BYTES), dictionary));
}

async function keyWith(id) {
  for (const cache of ["default", "reload"]) {
    const answer = await fetch(viewer.dataset.keys, { cache }).catch(() => null);
    const set = answer?.ok ? await answer.json() : { keys: [] };
    const key = set.keys.find((one) => one.kid === id);
    if (key) return key;
  }
  throw new Refused("key_unknown");
}

// Browsers know no preset dictionary, but one that comes first in a stored block of its own is as good.
async function inflated(content, dictionary) {
  const before = new TextEncoder().encode(dictionary);
  const size = before.length;
  const block = [0, size & 255, size >> 8, ~size & 255, (~size >> 8) & 255];
  const stream = new Blob([new Uint8Array(block), before, content]).stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const bytes = new Uint8Array(size + MOST_BYTES);
  let length = 0;
  try {
    for (let step = await reader.read(); !step.done; step = await reader.read()) {
      bytes.set(step.value, length); // Too much of it does not fit, and is refused.
      length += step.value.length;
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(size, length));
  } catch {
    throw new Refused("unreadable");
  }
}

// What the first letter of a line says that it is. Lines of other kinds come from a newer service, and are left out.
const KINDS = { a: "allergies", u: "unknown", j: "unjudged", s: "conditions", m: "medicines", c: "contacts", p: "plans", d: "advice", w: "directive", o: "others" };
function cardOf(text) {
  const [head, name, ...lines] = text.split("\n");
  const card = { code: head.slice(0, 6), made: head.slice(6, 14), born: head.slice(14), name, stops: [], claim: "", country: "", more: null };
  for (const kind of Object.values(KINDS)) card[kind] = [];
  for (const line of lines) {
    const rest = line.slice(1);
    if (line[0] === "!") card.stops.push({ text: rest, detail: "" });
    else if (line[0] === ":" && card.stops.length) card.stops.at(-1).detail = rest;
    else if (line[0] === "=") card.claim = rest;
    else if (line[0] === "@") card.country = rest;
    else if (line[0] === "~") card.more = Number.parseInt(rest, 10) || 0; // Stickers printed earlier do not say how many.
    else if (Object.hasOwn(KINDS, line[0])) card[KINDS[line[0]]].push(rest);
  }
  return card;
}

// --- Saying ---

const say = (key, values = {}) => known.phrases[key][LANGUAGES.indexOf(language)]
  .replace(/\{(\w+)\}/g, (_, name) => values[name]);

// Known words stand between braces, in Spanish. Everything else is as somebody wrote it.
function translated(text) {
  return text.replace(/\{([^{}]*)\}/g, (_, name) => {
    if (name === "(" || name === ")") return name === "(" ? "{" : "}";
    if (/^@\d{8}$/.test(name)) return shortDay(name.slice(1));
    const others = known.words[name];
    return language === "es" || !others ? name.replace(/~+$/, "") : others[LANGUAGES.indexOf(language) - 1];
  });
}

function shortDay(digits) {
  const [year, month, date] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)];
  if (language !== "en") return `${date}/${month}/${year}`;
  return `${+date} ${known.months[LANGUAGES.indexOf(language)].split(" ")[month - 1]} ${year}`;
}

// General advice is known to this page; a sticker holds only its name, and where what helps is kept.
function advice(lines) {
  const told = lines.map((line) => line.split(/\|(.*)/s)).filter(([name]) => Object.hasOwn(known.advice, name));
  return told.length > 0 && node("section", "", node("h2", "", say("advice")), node("ul", "lines",
    ...told.map(([name, where]) => advised(known.advice[name], where))));
}

function advised(words, where) {
  const said = (part) => words[part]?.[LANGUAGES.indexOf(language)];
  const rescue = where && words.rescue && ` ${said("rescue").replace("{where}", () => translated(where))}`;
  return node("li", "", node("b", "", `${said("title")}. `), said("do"), rescue, " ", node("b", "", say("dont")), ` ${said("dont")}`,
    words.staff && node("span", "", " ", node("b", "", say("staff")), ` ${said("staff")}`));
}

function age(born) {
  const today = new Date();
  const months = (today.getFullYear() - born.slice(0, 4)) * 12 + today.getMonth() + 1 - born.slice(4, 6);
  const [count, one, many] = months < 24 ? [months, "one_month", "months"] : [Math.floor(months / 12), "one_year", "years"];
  return count === 1 ? say(one) : say(many, { count });
}

function day(digits) {
  const date = new Date(Date.UTC(digits.slice(0, 4), digits.slice(4, 6) - 1, digits.slice(6, 8)));
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(date);
}

// --- Showing ---

function node(tag, className, ...inside) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...inside.filter(Boolean));
  return made;
}

function link(className, address, ...inside) {
  const made = node("a", className, ...inside);
  made.href = address;
  return made;
}

const list = (heading, lines, why = null) => lines.length > 0 && node("section", "",
  node("h2", "", say(heading)), why && node("p", "", say(why)),
  node("ul", "lines", ...lines.map((line) => node("li", "", translated(line)))));

// As emergency_call on the other pages: of the country that the phone's languages or its clock name, else of the record's,
// else of the service; empty where none is known.
function emergencyNumber(languages, city, recordCountry, deployedIn) {
  const of = (country) => Object.hasOwn(known.numbers, country) ? known.numbers[country] : "";
  const named = languages.map((tag) => of((tag.match(/-([a-z]{2})$/i) || ["", ""])[1].toUpperCase()));
  const zone = Object.hasOwn(known.zones, city) ? known.zones[city] : "";
  return named.find(Boolean) || zone || of(recordCountry.toUpperCase()) || of(deployedIn.toUpperCase());
}

// Stickers printed earlier do not name the record's country: it is that of the first contact's number that has one.
function countryOf(card) {
  const dialled = card.contacts.map((line) => [4, 3, 2].map((end) => known.prefixes[line.slice(0, end)]).find(Boolean));
  return card.country || dialled.find(Boolean) || "";
}

function emergency(recordCountry = "") {
  const city = Intl.DateTimeFormat().resolvedOptions().timeZone.split("/").pop();
  const number = emergencyNumber(navigator.languages, city, recordCountry, viewer.dataset.country);
  const call = link("main", `tel:${number || "112"}`, say("emergency"), node("small", "", number || "112"));
  return number ? [call] : [call, node("p", "aged", say("number_unknown"))];
}

function contact(line) {
  const [, number, person] = line.match(/^(\+\d{1,15}) (.*)$/) || [null, "", line];
  return number && link("", `tel:${number}`, translated(person), node("small", "", number));
}

// That there is nothing serious is said only where the sticker itself says so; older ones cannot.
const CLAIMS = { j: "no_signs_judged", w: "no_signs_written", u: "no_signs_not_judged", r: "no_signs_reserved", n: "no_signs_nothing_recorded" };

function stops(card) {
  if (!card.stops.length) {
    if (card.unjudged.length) return false; // What no rule has judged stands here instead.
    return node("p", "aged", say(Object.hasOwn(CLAIMS, card.claim) ? CLAIMS[card.claim] : "no_signs_unsaid"));
  }
  const lines = card.stops.map(({ text, detail }) => node("li", "",
    translated(text), detail && node("small", "", translated(detail))));
  const made = node("ul", "stop", ...lines);
  made.setAttribute("aria-label", say("stops"));
  return made;
}

const more = (count) => count !== null && node("p", "", say(["more", "one_more"][count] || "more_count", { count }));

function cardParts(card) {
  const onPage = location.pathname.toLowerCase() !== "/e/offline";
  const online = onPage ? location.pathname : `/e/${card.code}`;
  return [
    node("header", "who", node("h1", "", translated(card.name) || say("nameless")), card.born && node("p", "", age(card.born))),
    stops(card),
    list("unjudged", card.unjudged),
    node("div", "aged", node("b", "", say("signed", { date: day(card.made) })), more(card.more)),
    node("div", "call", ...emergency(countryOf(card)), ...card.contacts.map(contact)),
    list("allergies", card.allergies),
    list("unknown", card.unknown),
    list("plans", card.plans),
    advice(card.advice),
    list("conditions", card.conditions),
    list("medicines", card.medicines),
    list("directive", card.directive, "directive_why"),
    list("others", card.others),
    node("div", "call", link("", online, say("online"), node("small", "", say("online_why")))),
    node("p", "foot", `${say("code", { code: card.code })}. ${say("as_written")}`),
  ];
}

function refusalParts(reason) {
  const box = node("div", "refused", node("h1", "", say("refused")), node("p", "", say(reason)));
  box.setAttribute("role", "alert");
  return [box, node("div", "call", ...emergency())];
}

function introduction() {
  const parts = [node("h1", "", say("title")), node("p", "lead", say("lead"))];
  const mark = node("p", "good", say("kept"));
  mark.hidden = true;
  navigator.serviceWorker?.ready.then(() => { mark.hidden = false; });
  return [...parts, mark];
}

function show() {
  const parts = found?.refused ? refusalParts(found.refused) : found ? cardParts(found) : introduction();
  viewer.replaceChildren(...parts.filter(Boolean));
  document.documentElement.lang = language;
  document.title = `${found?.code ? translated(found.name) || say("nameless") : say("title")} · Ficha`;
  document.querySelector(".skip").textContent = say("skip");
  nav.setAttribute("aria-label", say("language"));
  nav.replaceChildren(...LANGUAGES.map(switchTo));
}

function switchTo(other) {
  const isCurrent = other === language;
  const made = isCurrent ? node("b", "", other.toUpperCase()) : link("", `?l=${other}${location.hash}`, other.toUpperCase());
  made.lang = other;
  if (isCurrent) made.setAttribute("aria-current", "true");
  if (isCurrent) made.tabIndex = -1; // So that it can take the focus of the link it was.
  made.addEventListener("click", (event) => {
    event.preventDefault();
    language = other;
    show();
    nav.querySelector("b").focus();
  });
  return made;
}

async function read() {
  const fragment = written(location.hash.slice(1));
  if (fragment && document.getElementById(fragment)) return; // A jump within the page.
  try {
    found = fragment ? await opened(fragment) : null;
  } catch (error) {
    found = { refused: error instanceof Refused ? error.message : "unreadable" };
  }
  show();
}

function written(fragment) {
  try {
    return decodeURIComponent(fragment); // Some scanners escape what needs no escaping.
  } catch {
    return fragment;
  }
}

fetch(viewer.dataset.words).then((answer) => answer.json()).then((content) => {
  known = content;
  addEventListener("hashchange", read);
  return read();
}).catch(() => { document.getElementById("incomplete").hidden = false; });
