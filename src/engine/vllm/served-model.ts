import { EngineError } from "../engine.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { statusError } from "../servers/wire/errors.js";
import { jsonObject, positiveInteger } from "../servers/wire/json.js";

/** A model in a server's `/v1/models`. */
export interface ServedModel {
  readonly name: string;
  /** Limit of prompt and output tokens together. */
  readonly contextLength: number | undefined;
}

/**
 * Asks a server for a model.
 *
 * @param name the model to find; if undefined, the first one that is not an adapter of another
 */
export async function askServedModel(server: ServerConnections, name: string | undefined): Promise<ServedModel> {
  const { status, body } = await server.get("v1/models");
  if (status !== 200) throw statusError(status, body);
  const model = findServedModel(body, name);
  if (model) return model;
  const missing = name === undefined ? "any model" : `the model ${name}`;
  throw new EngineError("engine_error", `The engine does not serve ${missing}.`);
}

export function findServedModel(body: string, name: string | undefined): ServedModel | undefined {
  const { data } = jsonObject(body);
  const entries = (Array.isArray(data) ? data : []).map((entry: unknown): Record<string, unknown> => Object(entry));
  const found = entries.find(({ id, parent }) => (name === undefined ? (parent ?? null) === null : id === name));
  const id = found?.["id"];
  return typeof id === "string" ? { name: id, contextLength: positiveInteger(found?.["max_model_len"]) } : undefined;
}
