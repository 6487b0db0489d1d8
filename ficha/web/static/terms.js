// Terms of the list as one types. Without scripts, the server searches: for a button, or on a page of its own.
// `data-terms` names the lists as `model/field`; where there may be several, a choice says its model as well.
const WAIT = 250, SHORTEST = 3, MOST = 6, AFTER_TAP = 100, RELEASED = ["pointerup", "pointercancel"];

function offerTerms(input) {
  const form = input.form, isLine = !input.name.endsWith("texto");
  const name = isLine ? `${input.name}.es` : input.name.replace(/texto$/, "elegido");
  const lists = input.dataset.terms.split(" "), kept = form.elements[name];
  if (kept && kept.type !== "hidden") return; // The server has searched already.
  const list = document.createElement("ul");
  Object.assign(list, { id: `${input.id}-terms`, className: "terms", role: "listbox", hidden: true });
  list.setAttribute("aria-label", input.labels[0].textContent);
  input.after(list);
  Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id })
    .forEach(([key, value]) => input.setAttribute(key, value));
  let at = -1, waiting, asked = 0;

  const show = (options) => {
    at = -1;
    list.replaceChildren(...options);
    list.hidden = !options.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
  };
  // Whether what stands there was chosen from the list, now or earlier.
  const note = document.getElementById(`${input.id}-coding`), earlier = form.elements[input.name.replace(/texto$/, "codigo")];
  const say = () => {
    const isCoded = Boolean((kept || form.elements[name])?.value) || (!isLine && Boolean(earlier?.value.endsWith(`|${input.value.trim()}`)));
    note.classList.toggle("good", isCoded);
    note.textContent = isCoded ? note.dataset.coded : note.dataset.uncoded;
    note.hidden = !input.value.trim();
  };
  const forget = () => (kept ? (kept.value = "") : form.elements[name]?.remove());
  const choose = (option) => {
    forget();
    const chosen = kept || document.createElement("input");
    Object.assign(chosen, { type: "hidden", name, value: option.dataset.term });
    list.after(chosen);
    input.value = option.firstChild.textContent;
    say();
    show([]);
  };
  const made = ({ modelo, sistema, codigo, nombre, ...words }, place) => {
    const option = document.createElement("li"), text = words[document.documentElement.lang];
    Object.assign(option, { id: `${list.id}-${place}`, role: "option" });
    // The name by which it was found is shown, so that nobody takes another substance for hers.
    option.append(text, nombre && ` · ${nombre}`);
    option.setAttribute("aria-selected", "false");
    option.dataset.term = `${isLine ? `${modelo}|` : ""}${sistema}|${codigo}|${text}`;
    option.addEventListener("mousedown", (event) => event.preventDefault()); // The focus stays where one types.
    option.addEventListener("click", () => choose(option));
    return option;
  };
  const found = async (place) => {
    const [model, field] = place.split("/");
    const query = new URLSearchParams({ q: input.value.trim(), model, size: 20 });
    const answer = await fetch(`/v2/fmd/terms?${query}`).catch(() => null);
    const terms = answer?.ok ? (await answer.json()).data.map((one) => one.attributes) : [];
    return terms.filter((one) => !field || one.campo === field).slice(0, Math.ceil(MOST / lists.length));
  };
  const search = async () => {
    const mine = ++asked;
    const terms = (await Promise.all(lists.map(found))).flat();
    if (mine === asked) show(terms.map(made));
  };
  input.addEventListener("input", () => {
    forget();
    say();
    clearTimeout(waiting);
    asked += 1;
    if (input.value.trim().length < SHORTEST) show([]);
    else waiting = setTimeout(search, WAIT);
  });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "Escape") return show([]);
    if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      return choose(list.children[at]);
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    list.children[at]?.setAttribute("aria-selected", "false");
    at = (at + by + list.children.length) % list.children.length;
    list.children[at].setAttribute("aria-selected", "true");
    input.setAttribute("aria-activedescendant", list.children[at].id);
  });
  // Hidden at once, the list would let what lies below jump up, away from under the finger: that tap would be lost.
  const hide = () => setTimeout(() => document.activeElement !== input && show([]), AFTER_TAP);
  input.addEventListener("blur", () => {
    asked += 1;
    if (!isPressed) hide();
    else RELEASED.forEach((kind) => addEventListener(kind, hide, { once: true }));
  });
}

let isPressed = false;
addEventListener("pointerdown", () => { isPressed = true; }, true);
RELEASED.forEach((kind) => addEventListener(kind, () => { isPressed = false; }, true));

for (const input of document.querySelectorAll("[data-terms]")) offerTerms(input);
