import { EngineError, type LoraAdapter } from "../../engine.js";
import type { ControlRequest, ServerConnections } from "./connections.js";
import { postUpdate } from "./control-requests.js";
import { NotServedError } from "./errors.js";
import { jsonObject } from "./json.js";

/** How a type of server loads and unloads adapters. */
export interface AdapterCalls extends Pick<ControlRequest, "admin"> {
  /** Begins the paths of the endpoints: `v1/`, or nothing. */
  readonly prefix: string;
  /** Says in an error with which options the server must be started. */
  readonly advice: string;
}

/** Makes a server load an adapter. A server that has the adapter refuses it: then nothing has to be done, also if another proxy loaded it. */
export async function loadAdapter(
  server: ServerConnections,
  { name, path }: LoraAdapter,
  { prefix, admin, advice }: AdapterCalls,
  signal: AbortSignal,
): Promise<void> {
  const body = { lora_name: name, lora_path: path };
  try {
    await postUpdate(server, { path: `${prefix}load_lora_adapter`, body, signal, ...(admin && { admin }) });
  } catch (error) {
    const found = await findAdapter(server, name);
    if (found === path) return;
    if (found !== undefined) throw otherAdapter(name);
    if (error instanceof NotServedError)
      throw new EngineError(error.code, `${error.message} ${advice}`, { cause: error });
    throw error;
  }
}

export function unloadAdapter(server: ServerConnections, name: string, { prefix, admin }: AdapterCalls): Promise<void> {
  const body = { lora_name: name };
  return postUpdate(server, { path: `${prefix}unload_lora_adapter`, body, ...(admin && { admin }) });
}

/** Returns the path of an adapter that the server has; undefined if it has none with this name. */
async function findAdapter(server: ServerConnections, name: string): Promise<string | undefined> {
  const answer = await server.get("v1/models").catch(() => undefined);
  const { data } = jsonObject(answer?.status === 200 ? answer.body : "{}");
  const entries = (Array.isArray(data) ? data : []).map((entry: unknown): Record<string, unknown> => Object(entry));
  const found = entries.find(({ id, parent }) => id === name && (parent ?? null) !== null);
  return found && String(found["root"]);
}

function otherAdapter(name: string): EngineError {
  return new EngineError(
    "engine_error",
    `The engine has another adapter with the name ${name}. Give each adapter a name of its own, because engines keep what they have cached for a name.`,
  );
}
