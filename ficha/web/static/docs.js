// Adds a filter and "try it" to a page that reads well without them.
const main = document.getElementById("main");
const operations = [...document.querySelectorAll(".operation")];

// A link to an operation opens it.
function open() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const operation = target && target.closest(".operation");
  if (operation && !operation.open) {
    operation.open = true;
    target.scrollIntoView();
  }
}
addEventListener("hashchange", open);
open();

// The filter hides what does not hold every word.
const filter = document.getElementById("filter");
document.getElementById("finder").hidden = false;
filter.addEventListener("input", () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of document.querySelectorAll("[data-words]")) {
    item.hidden = !words.every((word) => item.dataset.words.includes(word));
  }
  for (const area of document.querySelectorAll(".area")) {
    area.hidden = !area.querySelector(".operation:not([hidden])");
  }
  const count = operations.filter((operation) => !operation.hidden).length;
  document.getElementById("found").textContent = words.length ? main.dataset.count.replace("{count}", count) : "";
});

// A token typed once serves every operation of this page, and is kept nowhere.
const tokens = [...document.querySelectorAll("[data-token]")];
for (const field of tokens) {
  field.addEventListener("input", () => tokens.forEach((other) => { other.value = field.value; }));
}

function asked(form) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const field of form.querySelectorAll("[data-place]")) {
    const { place, name } = field.dataset;
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(field.value));
    else if (field.value && place === "query") query.set(name, field.value);
    else if (field.value && place === "header") headers.set(name, field.value);
  }
  const token = form.querySelector("[data-token]");
  if (token && token.value) headers.set("Authorization", `Bearer ${token.value.trim()}`);
  const body = form.querySelector("[data-body]");
  if (body && body.value.trim()) headers.set("Content-Type", body.dataset.body);
  return [query.size ? `${path}?${query}` : path, {
    method: form.dataset.method,
    headers,
    body: body && body.value.trim() ? body.value : undefined,
    // As a program would call: no cookies, and no sign of the page it comes from.
    credentials: "omit",
    mode: "same-origin",
    referrerPolicy: "no-referrer",
  }];
}

function show(outcome, title, text) {
  const head = document.createElement("p");
  const code = document.createElement("b");
  code.textContent = title;
  head.append(code);
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.textContent = text;
  outcome.replaceChildren(...(text ? [head, pre] : [head]));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

for (const form of document.querySelectorAll("form.try")) {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const outcome = form.querySelector(".outcome");
    show(outcome, main.dataset.sending, "");
    try {
      const started = performance.now();
      const answer = await fetch(...asked(form));
      const text = await answer.text();
      const ms = Math.round(performance.now() - started);
      show(outcome, `${answer.status} · ${ms} ms`, pretty(text));
    } catch {
      show(outcome, main.dataset.failed, "");
    }
  });
}
