// Terms of the list as one types. Without scripts, the button below the field searches.
const WAIT = 250, SHORTEST = 3, MOST = 6;

function offerTerms(input) {
  const form = input.form, name = input.name.replace(/texto$/, "elegido");
  if (form.elements[name]) return; // The server has searched already.
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
  const choose = (option) => {
    form.elements[name]?.remove();
    const chosen = document.createElement("input");
    Object.assign(chosen, { type: "hidden", name, value: option.dataset.term });
    list.after(chosen);
    input.value = option.textContent;
    show([]);
  };
  const made = ({ sistema, codigo, ...words }, place) => {
    const option = document.createElement("li"), text = words[document.documentElement.lang];
    Object.assign(option, { id: `${list.id}-${place}`, role: "option", textContent: text });
    option.setAttribute("aria-selected", "false");
    option.dataset.term = `${sistema}|${codigo}|${text}`;
    option.addEventListener("pointerdown", (event) => { event.preventDefault(); choose(option); });
    return option;
  };
  const search = async () => {
    const mine = ++asked;
    const query = new URLSearchParams({ q: input.value.trim(), model: form.dataset.model, size: 20 });
    const answer = await fetch(`/v2/fmd/terms?${query}`).catch(() => null);
    if (mine !== asked || !answer?.ok) return;
    const found = (await answer.json()).data.map((one) => one.attributes);
    const fit = found.filter((one) => !input.dataset.terms || one.campo === input.dataset.terms);
    if (mine === asked) show(fit.slice(0, MOST).map(made));
  };
  input.addEventListener("input", () => {
    form.elements[name]?.remove();
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
  input.addEventListener("blur", () => { asked += 1; show([]); });
}

for (const input of document.querySelectorAll("[data-terms]")) offerTerms(input);
