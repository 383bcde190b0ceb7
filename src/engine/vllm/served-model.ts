import { EngineError } from "../engine.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { statusError } from "../servers/wire/errors.js";
import { jsonObject, positiveInteger } from "../servers/wire/json.js";

/** A model that a server serves, as its `/v1/models` lists it. */
export interface ServedModel {
  readonly name: string;
  /** Tokens of prompt and output together. */
  readonly contextLength: number | undefined;
}

/**
 * Asks a server for a model.
 *
 * @param name the one to look for. Absent: the first that is not an adapter of another.
 */
export async function askServedModel(server: ServerConnections, name: string | undefined): Promise<ServedModel> {
  const { status, body } = await server.get("v1/models");
  if (status !== 200) throw statusError(status, body);
  const model = servedModelOf(body, name);
  if (model) return model;
  const what = name === undefined ? "a model" : `the model ${name}`;
  throw new EngineError("engine_error", `The engine does not serve ${what}.`);
}

export function servedModelOf(body: string, name: string | undefined): ServedModel | undefined {
  const { data } = jsonObject(body);
  const entries = (Array.isArray(data) ? data : []).map((entry: unknown): Record<string, unknown> => Object(entry));
  const found = entries.find(({ id, parent }) => (name === undefined ? (parent ?? null) === null : id === name));
  const id = found?.["id"];
  return typeof id === "string" ? { name: id, contextLength: positiveInteger(found?.["max_model_len"]) } : undefined;
}
