// FHIR resources in words. Everything becomes text nodes, also markup of others. What has no words of
// its own here keeps FHIR's name for it, so nothing is left out.
const MOST_DEPTH = 12;
const MOST_FOLLOWED = 2;
const KINDS_OF_SECTIONS = {
  Flag: "104605-1", AllergyIntolerance: "48765-2", MedicationStatement: "10160-0", MedicationRequest: "10160-0",
  MedicationAdministration: "10160-0", MedicationDispense: "10160-0", Condition: "11450-4", Consent: "42348-3",
  DeviceUseStatement: "46264-8", Procedure: "47519-4", Immunization: "11369-6", Observation: "30954-2",
  DiagnosticReport: "30954-2", RelatedPerson: "contacts", Coverage: "coverage",
};
const ALERTS = "104605-1";
const TITLES = {
  Consent: ["category", "scope"], Coverage: ["payor", "type"], Device: ["deviceName", "type"], DeviceUseStatement: ["device"],
  Immunization: ["vaccineCode"], PractitionerRole: ["practitioner", "code"], RelatedPerson: ["name"],
};
const USUAL_TITLES = ["code", "medicationCodeableConcept", "medicationReference", "name", "type", "title", "category"];
const SILENT = new Set(["resourceType", "id", "meta", "text", "contained", "language", "implicitRules"]);
const OF_PATIENT = new Set(["subject", "patient", "beneficiary"]);
// Whoever overlooks these takes something for a fact that is none, or no longer one.
const NEGATIVE = new Set(["entered-in-error", "refuted", "not-done", "not-taken", "inactive", "resolved", "remission", "stopped", "cancelled", "deny"]);
// Told on request: where nothing is unusual, these only make the page longer.
const MINOR = new Set(["status", "clinicalStatus", "verificationStatus", "intent", "asserter", "recorder", "informationSource", "source", "dateAsserted", "author", "performer", "communication", "scope", "extension"]);
const MOST_LETTERS = 5000;
const STATES = ["status", "clinicalStatus", "verificationStatus"];
// Our words for these are right whichever answer was given; until 2.0.0 we wrote the words of a refusal.
const OWN_WISHES = "/fhir/CodeSystem/consentimiento";
const IS_DATE = /^(start|end|issued|sent|authoredOn|recorded|lastOccurrence|(onset|abatement|effective|occurrence|performed)\w*)$|date/i;

class Facts {
  // `words` tells the names of fields, codes and known terms in the reader's language.
  constructor(bundle, words) {
    this.words = words;
    this.byName = new Map();
    this.followed = 0; // References may lead in circles.
    const isBundle = bundle.resourceType === "Bundle";
    const entries = (isBundle && Array.isArray(bundle.entry) ? bundle.entry : isBundle ? [] : [{ resource: bundle }]).filter(isObject);
    this.resources = entries.map((entry) => entry.resource).filter((one) => isObject(one) && typeof one.resourceType === "string");
    this.left = entries.length - this.resources.length;
    for (const { fullUrl, resource } of entries) {
      if (!isObject(resource)) continue;
      if (typeof fullUrl === "string") this.byName.set(fullUrl, resource);
      if (resource.id) this.byName.set(`${resource.resourceType}/${resource.id}`, resource);
    }
    this.patient = this.resources.find((one) => one.resourceType === "Patient");
    this.document = this.resources.find((one) => one.resourceType === "Composition");
  }

  // As {code, title, resources, reason, said}: alerts first, then as the document or our own order has them.
  sections(order) {
    const found = new Map();
    const put = (code, title = "") => found.get(code) || found.set(code, { code, title, resources: [], said: [], reasons: [] }).get(code);
    const listed = new Set([this.patient, this.document]);
    const read = (section, depth) => {
      const loinc = section.code?.coding?.find?.((one) => one?.system === this.words.loinc)?.code;
      const one = put(String(loinc || section.title || "others"), String(section.title ?? ""));
      if (section.emptyReason) one.reasons.push(this.told(section.emptyReason, "emptyReason"));
      one.said.push(this.plain(section.text?.div));
      for (const { reference } of list(section.entry).filter(isObject)) {
        const resource = this.find(reference);
        one.resources.push(resource || { resourceType: "Reference", title: String(reference) });
        listed.add(resource);
      }
      if (depth < MOST_DEPTH) list(section.section).filter(isObject).forEach((inner) => read(inner, depth + 1));
    };
    list(this.document?.section).filter(isObject).forEach((section) => read(section, 0));
    for (const resource of this.resources.filter((one) => !listed.has(one))) {
      const kind = resource.resourceType;
      put(Object.hasOwn(KINDS_OF_SECTIONS, kind) ? KINDS_OF_SECTIONS[kind] : "others").resources.push(resource);
    }
    const rank = (code) => (order.indexOf(code) + 1 || order.length + 1);
    return [...found.values()].sort((one, other) => rank(one.code) - rank(other.code));
  }

  find(reference, within = null) {
    if (typeof reference !== "string") return null;
    if (reference.startsWith("#")) return list(within?.contained).find((one) => one?.id === reference.slice(1)) || null;
    return this.byName.get(reference) || this.byName.get(reference.split("/").slice(-2).join("/")) || null;
  }

  // As {title, states, details: [label, words][], more: …}; `more` has what only FHIR's own words name.
  fact(resource) {
    const kind = resource.resourceType;
    const [titled, title] = this.title(resource, 0);
    const fact = { kind, title: title || this.plain(resource.text?.div), states: this.states(resource), details: [], more: [] };
    for (const [name, value] of Object.entries(resource)) {
      if (name === titled || SILENT.has(name) || (OF_PATIENT.has(name) && this.find(value?.reference) === this.patient)) continue;
      if (kind === "Reference" || (name.startsWith("_") && name.slice(1) in resource)) continue;
      const [label, isKnown] = this.words.field(name.replace(/^_/, ""));
      const words = this.told(value, name, 0, resource);
      const isMinor = MINOR.has(name) || (kind === "Flag" && name === "category");
      if (words) (isKnown && !isMinor ? fact.details : fact.more).push([label, words]);
    }
    if (resource.text?.status === "additional") fact.details.push(["", this.plain(resource.text.div)]);
    return fact;
  }

  // The field that names the resource best, and its words.
  title(resource, depth) {
    const own = Object.hasOwn(TITLES, resource.resourceType) ? TITLES[resource.resourceType] : [];
    for (const name of [...own, ...USUAL_TITLES]) {
      const words = this.told(resource[name], name, depth, resource);
      if (words) return [name, words];
    }
    return ["", ""];
  }

  states(resource) {
    const codes = STATES.flatMap((name) => [resource[name], ...list(resource[name]?.coding).map((one) => one?.code)]);
    codes.push(resource.provision?.type);
    return [...new Set(codes)].filter((one) => NEGATIVE.has(one)).map((one) => this.words.code(one));
  }

  isAlert(resource) {
    return resource.resourceType === "Flag" && resource.status === "active";
  }

  told(value, name, depth = 0, within = null) {
    if (value === undefined || value === null || depth > MOST_DEPTH) return "";
    if (Array.isArray(value)) return value.map((one) => this.told(one, name, depth + 1, within)).filter(Boolean).join("; ");
    if (typeof value === "boolean") return this.words.code(String(value));
    if (typeof value === "string" && value.length > MOST_LETTERS) return `${value.slice(0, MOST_LETTERS)}… (${value.length})`;
    if (typeof value === "string") return IS_DATE.test(name) ? this.words.day(value) : this.words.code(value);
    if (typeof value !== "object") return String(value);
    return this.toldObject(value, name, depth, within);
  }

  toldObject(value, name, depth, within) {
    const inner = (key) => this.told(value[key], key, depth + 1, within);
    const keys = Object.keys(value);
    if (Array.isArray(value.coding)) return this.concept(value);
    if (typeof value.reference === "string") return this.reference(value, depth, within);
    if (typeof value.display === "string" && !("code" in value)) return value.display;
    if (keys.every((key) => key === "extension" || key === "id")) return inner("extension");
    if (typeof value.url === "string" && keys.some((key) => key === "extension" || key.startsWith("value"))) return this.extension(value, depth, within);
    if ("family" in value || "given" in value) return inner("text") || [inner("prefix"), list(value.given).join(" "), inner("family")].filter(Boolean).join(" ");
    if (name === "dosage" && value.text) return inner("text");
    if ("value" in value && !isObject(value.value)) return this.measure(value, inner);
    if ("start" in value || "end" in value) return [inner("start"), inner("end")].map((one) => one || "…").join(" – ");
    if ("code" in value && "system" in value) return this.concept({ coding: [value] });
    return keys.filter((key) => key !== "id").map((key) => {
      const words = inner(key);
      return words && (["text", "display", "name", "line"].includes(key) ? words : `${this.words.field(key.replace(/^_/, ""))[0]}: ${words}`);
    }).filter(Boolean).join(", ");
  }

  // A quantity, an identifier, or a way to reach somebody.
  measure(value, inner) {
    const unit = "unit" in value || "code" in value ? String(value.unit ?? value.code) : "";
    return [inner("type"), inner("comparator"), inner("value"), unit].filter(Boolean).join(" ");
  }

  // In the issuer's words; in ours too where its code is a term that we know, and alone where it has none.
  concept({ text, coding }) {
    const codings = coding.filter(isObject);
    const said = String(text || codings.find((one) => one.display)?.display || "");
    const known = codings.map((one) => this.words.term(one.system, one.code)).find(Boolean) || "";
    if (known && codings.some((one) => String(one.system).endsWith(OWN_WISHES))) return known;
    if (!said) return known || codings.map((one) => `${one.code} (${one.system ?? "?"})`).join(", ");
    const [one, other] = [known.toLowerCase(), said.toLowerCase()];
    return one.startsWith(other) || other.startsWith(one) ? said : `${said} (${known})`;
  }

  reference({ reference, display }, depth, within) {
    const found = this.find(reference, within);
    if (found === this.patient) return this.words.field("Patient")[0];
    if (!found || this.followed >= MOST_FOLLOWED) return String(display || reference);
    this.followed++;
    const title = this.title(found, depth + 1)[1];
    this.followed--;
    return title || String(display || found.resourceType);
  }

  extension(value, depth, within) {
    const label = String(value.url).split("/").pop();
    const told = Object.entries(value).filter(([key]) => key !== "url" && key !== "id")
      .map(([key, one]) => this.told(one, key, depth + 1, within)).filter(Boolean).join("; ");
    return Array.isArray(value.extension) || label === "data-absent-reason" ? told : `${label}: ${told}`;
  }

  // Markup of others is never parsed: its tags are cut out, and what is left is text.
  plain(markup) {
    if (typeof markup !== "string") return "";
    return markup.replace(/<(script|style)\b[^]*?<\/\1\s*>/gi, "")
      .replace(/<\/?(br|div|h\d|li|p|table|td|th|tr|ul)\b[^>]*>/gi, "\n")
      .replace(/<[^>]*>/g, "")
      .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, entity)
      .replace(/\s*\n\s*/g, "\n").trim();
  }
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
function entity(written, decimal, hexadecimal, name) {
  const number = Number.parseInt(decimal || hexadecimal, decimal ? 10 : 16);
  if (name) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : written;
  return number <= 0x10ffff ? String.fromCodePoint(number) : written;
}

const list = (value) => (Array.isArray(value) ? value : []);
