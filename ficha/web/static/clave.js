// The eye beside a clave: shows what was typed, and hides it again.
for (const button of document.querySelectorAll("[data-shows]")) {
  const field = document.getElementById(button.dataset.shows);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.textContent = shown ? button.dataset.hide : button.dataset.show;
  });
  field.form.addEventListener("submit", () => { field.type = "password"; });
}
