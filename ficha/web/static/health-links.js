// SMART Health Links: what stands in one, and how its files are fetched. The key stays here.
const MOST_FILES = 50;
const MOST_IN_MANIFEST = 1_000_000;

function linkIn(text) {
  const { url, key, exp, flag = "", label = "", v = 1 } = objectIn(textOf(fromBase64url(text.match(/shlink:\/([\w-]+)/)[1])));
  if (v !== 1) throw new Refused("newer");
  const secret = fromBase64url(key);
  const isWhole = secret.length === 32 && typeof flag === "string" && typeof label === "string"
    && (exp === undefined || Number.isFinite(exp)) && !(flag.includes("U") && flag.includes("P"));
  if (!isWhole) throw new Refused("damaged");
  return {
    url: addressOf(url), key: secret, ends: exp, label: label.slice(0, 200),
    isDirect: flag.includes("U"), hasPasscode: flag.includes("P"), isLasting: flag.includes("L"),
  };
}

// Each file as {kind, text}, or {refusal} for one that could not be opened: the others are shown all the same.
async function filesOf(link, recipient, passcode) {
  if (link.ends !== undefined && link.ends * 1000 <= Date.now()) throw new Refused("ended_on", { date: link.ends });
  const { files, status } = link.isDirect ? await directFile(link, recipient) : await manifest(link, recipient, passcode);
  const opened = [];
  for (const file of files.slice(0, MOST_FILES)) opened.push(await openedFile(file, link.key));
  return { files: opened, status, left: Math.max(0, files.length - MOST_FILES) };
}

async function directFile(link, recipient) {
  const url = new URL(link.url);
  url.searchParams.set("recipient", recipient);
  const answer = await ask(url.href);
  await refuseAnswer(answer);
  return { files: [{ embedded: await bodyText(answer) }] };
}

async function manifest(link, recipient, passcode) {
  const asked = { recipient, embeddedLengthMax: MOST_IN_MANIFEST, ...(link.hasPasscode && { passcode }) };
  const headers = { "Content-Type": "application/json" };
  const answer = await ask(link.url.href, { method: "POST", headers, body: JSON.stringify(asked) });
  await refuseAnswer(answer);
  const { files, status } = objectIn(await bodyText(answer));
  if (!Array.isArray(files) || !files.every(isObject)) throw new Refused("damaged");
  return { files, status };
}

async function refuseAnswer(answer) {
  if (answer.ok) return;
  if (answer.status === 404) throw new Refused("ended");
  if (answer.status === 429) throw new Refused("too_often");
  if (answer.status !== 401) throw new Refused("server_says", { status: answer.status });
  const said = await bodyText(answer).then(objectIn).catch(() => ({}));
  const left = Number.isInteger(said.remainingAttempts) ? said.remainingAttempts : null;
  if (left === null) throw new Refused("wrong_passcode");
  throw new Refused(["no_tries_left", "wrong_passcode_one"][left] || "wrong_passcode_left", { left });
}

async function openedFile(file, key) {
  const declared = String(file.contentType ?? "");
  try {
    const { kind, text } = await decrypted(file.embedded ?? await located(file.location), key);
    return { kind: kind || declared, text };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { kind: declared, refusal: error };
  }
}

async function located(location) {
  const answer = await ask(location);
  if (!answer.ok) throw new Refused("server_says", { status: answer.status });
  return bodyText(answer);
}
