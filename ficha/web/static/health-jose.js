// Opens what is encrypted (JWE) and checks what is signed (JWS), in the one way each that Health Links and Health Cards
// allow. Everything is bounded: whoever made a file may wish this browser ill.
const MOST_BYTES = 5_000_000;
const SECONDS = 20;

// `message` is the key of a phrase, `values` what goes into it.
class Refused extends Error {
  constructor(reason, values = {}) {
    super(reason);
    this.values = values;
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function fromBase64url(text) {
  if (typeof text !== "string" || !/^[\w-]*$/.test(text) || text.length % 4 === 1) throw new Refused("damaged");
  const letters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("damaged");
  }
}

function objectIn(text) {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Refused("damaged");
  }
  if (!isObject(found)) throw new Refused("damaged");
  return found;
}

// What swells beyond the bound is given up where it crosses it.
async function readAtMost(stream) {
  const reader = stream.getReader();
  const parts = [];
  let length = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    length += step.value.length;
    if (length > MOST_BYTES) {
      reader.cancel().catch(() => {});
      throw new Refused("huge");
    }
    parts.push(step.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  try {
    return await readAtMost(stream);
  } catch (error) {
    throw error instanceof Refused ? error : new Refused("damaged");
  }
}

// --- Encrypted ---

async function decrypted(jwe, key) {
  const parts = String(jwe).trim().split(".");
  if (parts.length !== 5) throw new Refused("damaged");
  const { alg, enc, zip, cty, crit } = objectIn(textOf(fromBase64url(parts[0])));
  const isAllowed = alg === "dir" && enc === "A256GCM" && crit === undefined && [undefined, "DEF"].includes(zip);
  if (!isAllowed) throw new Refused("other_encryption");
  const [wrapped, iv, content, tag] = parts.slice(1).map(fromBase64url);
  if (wrapped.length !== 0 || iv.length !== 12 || tag.length !== 16) throw new Refused("damaged");
  const secret = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const about = { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(parts[0]) };
  let plain;
  try {
    plain = new Uint8Array(await crypto.subtle.decrypt(about, secret, await new Blob([content, tag]).arrayBuffer()));
  } catch {
    throw new Refused("altered");
  }
  return { kind: String(cty ?? ""), text: textOf(zip ? await inflated(plain) : plain) };
}

// --- Signed ---

async function hasSignatureOf(jws, { kty, crv, x, y }) {
  const [head, body, mark] = jws.split(".");
  try {
    const curve = { name: "ECDSA", namedCurve: "P-256" };
    const key = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, curve, false, ["verify"]);
    const signed = new TextEncoder().encode(`${head}.${body}`);
    return await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, fromBase64url(mark), signed);
  } catch {
    return false; // A key or a signature that is none.
  }
}

// RFC 7638: so a key has one name, and nobody can publish another under it.
async function thumbprint({ crv, kty, x, y }) {
  const written = new TextEncoder().encode(JSON.stringify({ crv, kty, x, y }));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", written));
  return btoa(String.fromCharCode(...hash)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

// --- Asking others ---

// Nobody but the named server is asked, without cookies, without saying from which page, and no copy is kept.
async function ask(address, options = {}) {
  const url = addressOf(address);
  const quiet = { credentials: "omit", referrerPolicy: "no-referrer", cache: "no-store", mode: "cors" };
  try {
    return await fetch(url, { ...quiet, signal: AbortSignal.timeout(SECONDS * 1000), ...options });
  } catch {
    throw new Refused("unreachable", { host: url.host });
  }
}

// Also our own, which on a laptop has no TLS.
function addressOf(text) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "https:" && url.origin !== location.origin)) throw new Refused("not_https");
  if (url.username || url.password) throw new Refused("damaged");
  return url;
}

async function bodyText(answer) {
  try {
    return answer.body ? textOf(await readAtMost(answer.body)) : "";
  } catch (error) {
    throw error instanceof Refused ? error : new Refused("unreachable", { host: new URL(answer.url).host });
  }
}
