// What is typed into a form stays on this device until it is saved, and is offered again: also when the session ended
// meanwhile. Logging out removes it, by Clear-Site-Data and here, for browsers that do not know that.
const PREFIX = "ficha:draft:";
const LONGEST = 7 * 24 * 60 * 60 * 1000;

const drafts = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
const forget = (key) => localStorage.removeItem(key);
const read = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
};

function hidden(name, value) {
  const made = document.createElement("input");
  Object.assign(made, { type: "hidden", name, value });
  return made;
}

// In place if the form has all its fields; lines that were added are drawn by the server, as by its buttons.
function restore(form, fields) {
  if (fields.every(([name]) => form.elements[name])) {
    for (const one of form.elements) {
      const said = fields.filter(([name]) => name === one.name).map(([, value]) => value);
      if (one.type === "checkbox" || one.type === "radio") one.checked = said.includes(one.value);
      else if (said.length) one.value = said[0];
    }
    return;
  }
  const sent = document.createElement("form");
  Object.assign(sent, { method: "post", action: form.action, hidden: true });
  sent.append(hidden("_token", form.elements._token.value), hidden("do", "restore"));
  sent.append(...fields.map(([name, value]) => hidden(name, value)));
  document.body.append(sent);
  sent.submit();
}

const fieldsOf = (form) => [...new FormData(form)].filter(([name]) => name !== "_token");

// With a bad signal somebody types long before this script has come: that is typed as well.
function fieldsAsSent(form) {
  const copy = form.cloneNode(true);
  copy.reset();
  return fieldsOf(copy);
}

function follow(form) {
  const key = PREFIX + form.dataset.draft;
  let known = "fresh" in form.dataset ? JSON.stringify(fieldsAsSent(form)) : "";
  const keep = () => {
    const fields = fieldsOf(form), typed = JSON.stringify(fields);
    if (typed === known) return;
    known = typed;
    localStorage.setItem(key, JSON.stringify({ at: Date.now(), fields }));
  };
  const draft = read(key);
  const offer = document.querySelector("[data-offer]");
  // Some browsers fill in again what was typed before a page was reloaded.
  const shown = [known, JSON.stringify(fieldsOf(form))];
  if (known && draft && !shown.includes(JSON.stringify(draft.fields))) {
    offer.hidden = false;
    offer.querySelector("[data-restore]").addEventListener("click", () => {
      offer.hidden = true;
      restore(form, draft.fields);
    });
    offer.querySelector("[data-discard]").addEventListener("click", () => {
      offer.hidden = true;
      forget(key);
    });
  }
  let waiting;
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(keep, 300);
  });
  form.addEventListener("submit", keep);
  addEventListener("pagehide", keep);
  keep();
}

for (const key of drafts()) if (!(Date.now() - read(key)?.at < LONGEST)) forget(key);
for (const one of document.querySelectorAll("[data-saved]")) {
  forget(PREFIX + one.dataset.saved);
  const here = new URL(location); // Loaded again, the page says nothing of what was saved before.
  ["guardado", "listo"].forEach((name) => here.searchParams.delete(name));
  history.replaceState(null, "", here);
}
for (const form of document.querySelectorAll("[data-forgets]")) {
  form.addEventListener("submit", () => drafts().forEach(forget));
}
for (const form of document.querySelectorAll("[data-draft]")) follow(form);
