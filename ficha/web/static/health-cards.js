// SMART Health Cards: what stands in one, and whether its signature is right. The answer is exactly one of VERDICTS.
const VERDICTS = ["verified", "unknown_issuer", "wrong_signature", "expired", "revoked", "not_yet", "unchecked"];

// A QR has two digits for each letter.
function jwsInQr(text) {
  if (/^shc:\/\d+\/\d+\//.test(text)) throw new Refused("in_parts");
  const digits = text.slice("shc:/".length);
  if (!/^(\d\d)+$/.test(digits)) throw new Refused("damaged");
  return digits.replace(/\d\d/g, (pair) => String.fromCharCode(Number(pair) + 45));
}

async function cardIn(jws) {
  const parts = jws.split(".");
  if (parts.length !== 3) throw new Refused("damaged");
  const { alg, zip, kid } = objectIn(textOf(fromBase64url(parts[0])));
  if (alg !== "ES256" || typeof kid !== "string") throw new Refused("other_signature");
  const body = fromBase64url(parts[1]);
  const { iss, nbf, exp, vc } = objectIn(textOf(zip === "DEF" ? await inflated(body) : body));
  const bundle = vc?.credentialSubject?.fhirBundle;
  if (typeof iss !== "string" || !Number.isFinite(nbf) || !isObject(bundle)) throw new Refused("damaged");
  if (exp !== undefined && !Number.isFinite(exp)) throw new Refused("damaged");
  return { jws, kid, iss, nbf, exp, rid: vc.rid, bundle };
}

// `names` are those of the directory. Whom it does not know is asked for its key only once the reader wants it
// (`mayAsk`): it learns from the question that one of its cards is being read.
async function verdictOn(card, names, mayAsk) {
  const isKnown = Object.hasOwn(names, card.iss);
  if (!isKnown && !mayAsk) return { verdict: "unknown_issuer" };
  let key;
  let revoked;
  try {
    key = await publishedKey(card);
    if (!key || !await hasSignatureOf(card.jws, key)) return { verdict: "wrong_signature" };
    revoked = await isRevoked(card, key);
  } catch {
    return { verdict: "unchecked" };
  }
  const now = Date.now() / 1000;
  if (revoked) return { verdict: "revoked" };
  if (card.exp !== undefined && card.exp <= now) return { verdict: "expired" };
  if (card.nbf > now + 300) return { verdict: "not_yet" }; // Clocks differ.
  return { verdict: isKnown ? "verified" : "unknown_issuer", isChecked: true };
}

async function publishedKey({ iss, kid }) {
  const { keys } = await published(`${iss}/.well-known/jwks.json`);
  const key = (Array.isArray(keys) ? keys : []).find((one) => isObject(one) && one.kid === kid);
  return key && await thumbprint(key) === kid ? key : null;
}

// An entry may say until when: cards that were issued later under the same id count again.
async function isRevoked({ iss, kid, rid, nbf }, { crlVersion }) {
  if (crlVersion === undefined || typeof rid !== "string") return false;
  const list = await published(`${iss}/.well-known/crl/${encodeURIComponent(kid)}.json`);
  if (list.kid !== kid || !Array.isArray(list.rids)) throw new Refused("damaged");
  return list.rids.some((entry) => {
    const [id, before] = String(entry).split(".");
    return id === rid && (before === undefined || nbf < Number(before));
  });
}

async function published(address) {
  const answer = await ask(address);
  if (!answer.ok) throw new Refused("server_says", { status: answer.status });
  return objectIn(await bodyText(answer));
}
