import type { JsonText } from "./long-json.js";
import { writeJson } from "./raw-json.js";

/** Writes a server-sent event without a name, as in OpenAI's chat completions. */
export function dataEvent(value: unknown): JsonText {
  return dataLine(writeJson(value));
}

/** Writes an event without a name around JSON of one line. */
export function dataLine(json: JsonText): JsonText {
  return enclose("data: ", json);
}

/** Writes a server-sent event that is named after its `type`. */
export function typedEvent(value: { readonly type: string; readonly [field: string]: unknown }): JsonText {
  return enclose(`event: ${value.type}\ndata: `, writeJson(value));
}

function enclose(fields: string, json: JsonText): JsonText {
  return typeof json === "string" ? `${fields}${json}\n\n` : json.between(fields, "\n\n");
}

/** A comment, which clients ignore. */
export const KEEP_ALIVE_COMMENT = ": keep-alive\n\n";
