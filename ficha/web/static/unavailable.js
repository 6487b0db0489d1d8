// Where scripts run: the number of the phone's time zone, and what the QR itself holds, which only its address knows.
// `numbers`, of each city that names a zone, stands in front of this: script.py.
const number = numbers[Intl.DateTimeFormat().resolvedOptions().timeZone.split("/").pop()];
const all = (names, change) => document.querySelectorAll(names).forEach(change);
if (number && document.querySelector("[data-zone]")) {
  all("[data-zone]", (link) => { link.href = "tel:" + number; });
  all(".n", (one) => { one.textContent = number; });
  all(".unknown", (one) => one.remove());
}
// Not the name of a language, to which the page itself links.
if (location.hash.length > 9) all("[data-qr]", (line) => {
  line.firstChild.href += location.hash;
  line.hidden = false;
});
// The link alone would lose what the QR holds.
all("[data-again][href='']", (link) => link.addEventListener("click", (event) => {
  event.preventDefault();
  location.reload();
}));
