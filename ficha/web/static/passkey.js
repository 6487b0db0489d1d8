// Passkeys: the form asks the device to sign, and sends what it answers as its field `credencial`.
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const named = (list) => list.map((one) => ({ ...one, id: bytes(one.id) }));

// The options and the answer are JSON on our side, buffers on the browser's.
async function ask(does, options) {
  const publicKey = { ...options, challenge: bytes(options.challenge) };
  if (does === "create") {
    publicKey.user = { ...options.user, id: bytes(options.user.id) };
    publicKey.excludeCredentials = named(options.excludeCredentials);
  } else publicKey.allowCredentials = named(options.allowCredentials);
  const made = await navigator.credentials[does]({ publicKey });
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (made.response[name]) response[name] = text(made.response[name]);
  }
  return JSON.stringify({ id: made.id, rawId: text(made.rawId), type: made.type, response });
}

for (const form of document.querySelectorAll("[data-passkey]")) {
  if (!window.PublicKeyCredential || location.origin !== form.dataset.origin) continue;
  form.hidden = false;
  document.querySelectorAll("[data-without-passkey]").forEach((one) => { one.hidden = true; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.querySelector("[role=alert]").hidden = true;
    try {
      form.elements.credencial.value = await ask(form.dataset.does, JSON.parse(form.dataset.passkey));
      form.submit();
    } catch {
      form.querySelector("[role=alert]").hidden = false;
    }
  });
}
