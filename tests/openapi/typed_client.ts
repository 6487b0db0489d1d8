// Reads and changes a record with the types that openapi-typescript makes. It is compiled, not run.
import type { components, paths } from "./ficha";

type Schemas = components["schemas"];
type Read = paths["/v2/fmd/{code}/{model}"]["get"];
type Patch = paths["/v2/fmd/{code}/{model}"]["patch"];

const address: Read["parameters"]["path"] = { code: "K7M2QX", model: "salud" };
const change: Schemas["SaludPatch"] = {
  condiciones: [{ condicion: { texto: "Epilepsia", sistema: "snomed", codigo: "84757009" }, estado: "controlada" }],
  ausencia: null,
  embarazo: { estado: null },
};
export const body: Patch["requestBody"]["content"]["application/json"] = change;
export const record: Schemas["RecordPatch"] = { salud: change, vacuna: null };
export const url = `/v2/fmd/${address.code}/${address.model}`;

export function conditions(answer: Read["responses"][200]["content"]["application/json"]): string[] {
  const model = answer.data;
  // Its id says which model it is, and with it which fields there are.
  return model.id === "salud" ? (model.attributes.data.condiciones ?? []).map((one) => one.condicion.texto) : [];
}

export function why(refused: Schemas["ErrorBody"]): string {
  return refused.errors.map((one) => one.code).join();
}

// @ts-expect-error A model that the record does not have.
export const unknown: Read["parameters"]["path"] = { code: "K7M2QX", model: "zodiaco" };
// @ts-expect-error A field that the model does not have.
export const mistyped: Schemas["SaludPatch"] = { condicciones: [] };
// @ts-expect-error A choice that is not offered.
export const unoffered: Schemas["Condicion"] = { condicion: { texto: "Asma" }, estado: "quizas" };
