// The page that opens Health Links and Health Cards: what was given, what is asked, what is shown. Keys stay here.
const place = (id) => document.getElementById(id);
const viewer = place("viewer");
const issuers = JSON.parse(place("issuers").textContent);
let language = document.documentElement.lang;
let known = null; // All phrases, and the names of sections, fields and codes.
let terms = {}; // The words of codes, once something is shown.
let order = [];
// What is on the page: {link}, {opened}, {refusal}, or nothing yet. So it can be said again in another language.
let state = {};

// --- Words ---

const say = (key, values = {}) => inLanguage(known.phrases[key])
  .replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
const inLanguage = (words) => words[known.languages.indexOf(language)];
const wordsIn = (table, name) => (Object.hasOwn(table, name) ? inLanguage(table[name]) : null);

// FHIR says of which type a value is in the name of its field: onsetDateTime.
const OF_TYPE = /(DateTime|Period|CodeableConcept|Reference|Quantity|String|Age|PositiveInt|Boolean|Date)$/;
const words = {
  get loinc() { return known.loinc; },
  field: (name) => {
    const found = wordsIn(known.fields, name) ?? wordsIn(known.fields, name.replace(OF_TYPE, ""));
    return [found ?? name, found !== null];
  },
  code: (code) => wordsIn(known.codes, code) ?? code,
  term: (system, code) => (known.systems[system] && wordsIn(terms, `${known.systems[system]} ${code}`)) || wordsIn(known.codes, code),
  day,
};

// A day as it was written, without a zone: a birthday is the same everywhere. A moment is told by the reader's clock.
function day(text) {
  if (!/^\d{4}-\d\d-\d\d(T.*)?$/.test(text) || Number.isNaN(Date.parse(text))) return text;
  const style = text.length > 10 ? { dateStyle: "long", timeStyle: "short" } : { dateStyle: "long", timeZone: "UTC" };
  return new Intl.DateTimeFormat(language, style).format(new Date(text));
}

const daySince1970 = (seconds) => new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date(seconds * 1000));

function node(tag, className, ...inside) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...inside.filter(Boolean)); // Texts, which are never read as markup.
  return made;
}

function button(text, className, act) {
  const made = node("button", className, text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// --- What was given ---

// What is on the page says nothing of what is read now. A photo or a file takes a while until it has a text.
function take(text) {
  state = {};
  draw();
  return attempt(async () => open(String(await text).trim()));
}

async function attempt(work, link = null) {
  busy(true);
  try {
    await work();
  } catch (error) {
    refuse(error, link);
  } finally {
    busy(false);
  }
}

async function open(text) {
  if (text.length > MOST_BYTES) throw new Refused("huge");
  if (/(^|#)shlink:\/[\w-]+/.test(text)) return showLink(linkIn(text));
  const card = text.match(/(?:^|#)(shc:\/[\d/]+)$/);
  if (card) return showOne(await cardFile([jwsInQr(card[1])]));
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return showOne(await cardFile([text]));
  if (!text.startsWith("{")) throw new Refused("not_known");
  return showOne(await readFile("", text));
}

// What cannot be opened and stands alone is a mistake to correct: the form stays.
function showOne(file) {
  const refusal = file.refusal || (file.cards?.length === 1 && file.cards[0].refusal);
  if (refusal) throw refusal;
  return show([file]);
}

async function showLink(link) {
  state = { link };
  draw();
  place("recipient").focus();
}

// --- What is asked before a link is opened ---

async function openLink(event) {
  event.preventDefault();
  const { link } = state;
  state = { link };
  draw();
  await attempt(async () => {
    const { files, status, left } = await filesOf(link, place("recipient").value.trim(), place("passcode").value);
    const read = [];
    for (const { kind, text, refusal } of files) {
      read.push(refusal ? { kind, refusal } : await readFile(kind, text).catch((error) => ({ kind, refusal: asRefusal(error) })));
    }
    await show(read, { status, left });
  }, link);
}

async function readFile(kind, text) {
  if (kind.includes("smart-api-access")) return { kind, refusal: new Refused("access_only") };
  const found = objectIn(text);
  if (Array.isArray(found.verifiableCredential)) return cardFile(found.verifiableCredential);
  if (typeof found.resourceType !== "string") return { kind, refusal: new Refused("kind_unknown") };
  return { kind, resource: found };
}

async function cardFile(credentials) {
  if (!credentials.length) throw new Refused("damaged");
  const cards = [];
  for (const jws of credentials.slice(0, MOST_FILES)) {
    try {
      const card = await cardIn(String(jws));
      cards.push({ card, ...(await verdictOn(card, issuers, false)) });
    } catch (error) {
      cards.push({ refusal: asRefusal(error) });
    }
  }
  return { cards };
}

const asRefusal = (error) => (error instanceof Refused ? error : new Refused("damaged"));

function refuse(error, link = null) {
  state = { refusal: asRefusal(error), link };
  draw();
  const field = link && /passcode/.test(state.refusal.message) ? place("passcode") : place("refused");
  field.focus();
}

function busy(isBusy) {
  place("wait").textContent = isBusy ? say("wait") : "";
  viewer.querySelectorAll("form button.action").forEach((one) => { one.disabled = isBusy; });
}

// --- Showing ---

async function show(files, more = {}) {
  if (!Object.keys(terms).length) terms = await fetch(viewer.dataset.terms).then((answer) => answer.json()).catch(() => ({}));
  state = { opened: { files, ...more } };
  draw();
  place("shown").focus();
}

function draw() {
  const { link, refusal, opened } = state;
  const mayRetry = link && (!refusal || /passcode|unreachable|server_says|too_often/.test(refusal.message));
  viewer.querySelector(".lead").hidden = Boolean(opened);
  place("give").hidden = Boolean(opened || mayRetry);
  place("ask").hidden = !mayRetry;
  if (mayRetry) drawQuestion(link);
  place("refused").hidden = !refusal;
  place("refused").replaceChildren(...(refusal ? [node("h2", "", say("refused")), node("p", "", reason(refusal))] : []));
  place("shown").hidden = !opened;
  place("shown").replaceChildren(...(opened ? openedParts(opened) : []));
}

function reason({ message, values }) {
  return say(message, message === "ended_on" ? { date: daySince1970(values.date) } : values);
}

function drawQuestion(link) {
  const facts = [
    link.label && node("p", "lead", say("label", { label: link.label })),
    node("p", "", say(link.isDirect ? "asks_direct" : "asks", { host: link.url.host })),
    link.ends !== undefined && node("p", "soft", say("ends", { date: daySince1970(link.ends) })),
  ];
  place("about").replaceChildren(...facts.filter(Boolean));
  place("passcode-field").hidden = !link.hasPasscode;
  place("passcode").required = link.hasPasscode;
}

function openedParts({ files, status, left }) {
  const said = [
    status === "no-longer-valid" && "no_longer_valid",
    status === "can-change" && "can_change",
  ].filter(Boolean).map((key) => node("p", "aged", say(key)));
  const parts = files.flatMap((file, index) => {
    if (file.refusal) return [refusedFile(file, index)];
    return file.cards ? file.cards.map((one) => cardPart(one)) : resourcePart(file.resource, "not_signed");
  });
  return [...said, ...parts, left > 0 && node("p", "aged", say("more_files", { count: left })), again()].filter(Boolean);
}

function refusedFile({ kind, refusal }, index) {
  return node("section", "refused", node("h2", "", say("file_refused", { number: index + 1 })),
    node("p", "", reason(refusal)), kind && node("p", "soft", kind));
}

function again() {
  const link = node("a", "action quiet", say("again"));
  link.href = location.pathname + location.search;
  return node("p", "", link);
}

const SIGNS = { verified: "✓", unknown_issuer: "?", unchecked: "?", wrong_signature: "✕", expired: "✕", revoked: "✕", not_yet: "✕" };

function cardPart(one) {
  if (one.refusal) return refusedFile({ refusal: one.refusal }, 0);
  const { card, verdict, isChecked } = one;
  const isBad = SIGNS[verdict] === "✕";
  const values = { name: issuers[card.iss] ?? "", iss: card.iss };
  const box = node("div", `verdict ${verdict === "verified" ? "go" : isBad ? "bad" : "do"}`,
    node("h2", "", node("span", "sign", SIGNS[verdict]), " ", say(verdict, values)),
    node("p", "", say(isChecked && verdict === "unknown_issuer" ? "unknown_issuer_checked" : ["why", verdict].join("_"), values)),
    node("p", "soft", [say("issued", { date: daySince1970(card.nbf) }),
      card.exp !== undefined && say("valid_until", { date: daySince1970(card.exp) }), card.iss].filter(Boolean).join(" · ")));
  box.dataset.verdict = verdict;
  if (verdict === "unchecked" || (verdict === "unknown_issuer" && !isChecked)) box.append(askIssuer(one, values));
  const facts = node("div", "", ...resourcePart(card.bundle));
  if (!isBad) return node("article", "", box, facts);
  return node("article", "", box, node("details", "", node("summary", "", say("see_anyway")), facts));
}

function askIssuer(one, values) {
  const act = async () => {
    Object.assign(one, { isChecked: false }, await verdictOn(one.card, issuers, true));
    draw();
    place("shown").focus();
  };
  return button(say("ask_issuer", values), "action quiet", act);
}

function resourcePart(resource, note = null) {
  const facts = new Facts(resource, words);
  const { patient, document: composition } = facts;
  const sections = facts.sections(order);
  const who = patient && facts.fact(patient);
  return [
    node("header", "who", node("h2", "", who?.title || say("nameless")), who && factLines(who)),
    note && node("p", "aged", say(note)),
    composition && node("p", "soft", [composition.title, words.day(String(composition.date ?? ""))].filter((one) => typeof one === "string" && one).join(" · ")),
    ...sections.flatMap((section) => sectionPart(facts, section)),
    facts.left > 0 && node("p", "aged", say("not_read", { count: facts.left })),
    !sections.length && node("p", "", say("no_facts")),
  ].filter(Boolean);
}

function sectionPart(facts, { code, title, resources, said, reasons }) {
  const own = wordsIn(known.sections, code) ?? (["contacts", "coverage", "others"].includes(code) ? say(`part_${code}`) : title);
  const stops = resources.filter((one) => facts.isAlert(one));
  const rest = resources.filter((one) => !facts.isAlert(one));
  const alerts = node("ul", "stop", ...stops.map((one) => stopLine(facts.fact(one))));
  alerts.setAttribute("aria-label", own);
  const narrative = said.filter(Boolean).join("\n");
  return [node("section", "", node("h3", "part", own || say("part_others")),
    stops.length > 0 && alerts,
    ...reasons.map((one) => node("p", "aged", one)),
    rest.length > 0 && node("ul", "facts", ...rest.map((one) => factItem(facts.fact(one), code))),
    narrative && node("details", "", node("summary", "", say("as_written")), node("p", "letter", narrative)))];
}

const stopLine = (fact) => node("li", "", fact.title || fact.kind,
  ...fact.details.map(([label, text]) => node("small", "", `${label}: ${text}`)));

function factItem(fact, code) {
  const kind = wordsIn(known.kinds, fact.kind);
  const isNamed = code !== "others" && fact.title;
  return node("li", "",
    node("b", "", isNamed ? fact.title : [kind ?? fact.kind, fact.title].filter(Boolean).join(": ")),
    ...fact.states.map((state) => node("strong", "state", ` · ${state}`)),
    factLines(fact));
}

function factLines({ details, more }) {
  const lines = (rows) => rows.map(([label, text]) => node("div", "", label && node("dt", "", label), node("dd", "", text)));
  return node("div", "", details.length > 0 && node("dl", "", ...lines(details)),
    more.length > 0 && node("details", "", node("summary", "", say("more")), node("dl", "", ...lines(more))));
}

// --- The page ---

async function takeFile(file) {
  if (!file) return;
  if (file.size > MOST_BYTES) return refuse(new Refused("huge"));
  if (!file.type.startsWith("image/")) return take(file.text());
  if (!globalThis.BarcodeDetector) return refuse(new Refused("no_qr_reader"));
  return take(codeInPhoto(file));
}

async function codeInPhoto(file) {
  const found = await codesIn(await createImageBitmap(file).catch(() => null));
  if (!found) throw new Refused("no_qr_found");
  return found;
}

async function codesIn(picture) {
  if (!picture) return null;
  const codes = await new BarcodeDetector({ formats: ["qr_code"] }).detect(picture).catch(() => []);
  return codes.length ? codes[0].rawValue : null;
}

// Only where the browser itself reads QR codes: nothing of a picture leaves it.
async function useCamera() {
  const video = place("camera");
  try {
    video.srcObject = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    return refuse(new Refused("no_camera"));
  }
  video.hidden = false;
  await video.play();
  let found = null;
  for (let tries = 0; tries < 300 && !found; tries++) {
    found = await codesIn(video);
    if (!found) await new Promise((done) => { setTimeout(done, 200); });
  }
  video.srcObject.getTracks().forEach((track) => track.stop());
  video.hidden = true;
  return found ? take(found) : refuse(new Refused("no_qr_found"));
}

function speak(other) {
  language = other;
  document.documentElement.lang = other;
  document.querySelectorAll("[data-t]").forEach((one) => { one.textContent = say(one.dataset.t); });
  document.querySelector(".skip").textContent = say("skip");
  const nav = document.querySelector(".lang");
  nav.setAttribute("aria-label", say("language"));
  nav.replaceChildren(...known.languages.map(switchTo));
  document.title = `${say("title")} · Ficha`;
  draw();
}

// Without loading the page again: what was opened would be asked for once more.
function switchTo(other) {
  const isCurrent = other === language;
  const made = node(isCurrent ? "b" : "a", "", other.toUpperCase());
  made.lang = other;
  if (isCurrent) made.setAttribute("aria-current", "true");
  else made.href = `?l=${other}`;
  made.addEventListener("click", (event) => {
    event.preventDefault();
    speak(other);
  });
  return made;
}

function written(fragment) {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function takeFragment() {
  const fragment = written(location.hash.slice(1));
  if (fragment && !place(fragment)) take(fragment);
}

async function begin() {
  if (!globalThis.crypto?.subtle || !globalThis.DecompressionStream || !URL.canParse || !AbortSignal.timeout) {
    place("too-old").hidden = false;
    return;
  }
  known = await (await fetch(viewer.dataset.words)).json();
  order = known.order;
  place("give").hidden = false;
  place("give").addEventListener("submit", (event) => {
    event.preventDefault();
    take(place("text").value);
  });
  place("file").addEventListener("change", (event) => takeFile(event.target.files[0]));
  place("ask").addEventListener("submit", openLink);
  if (globalThis.BarcodeDetector && navigator.mediaDevices) {
    place("use-camera").hidden = false;
    place("use-camera").addEventListener("click", useCamera);
  }
  speak(language);
  addEventListener("hashchange", takeFragment);
  takeFragment();
  viewer.dataset.ready = "yes";
}

begin().catch(() => { place("incomplete").hidden = false; });
