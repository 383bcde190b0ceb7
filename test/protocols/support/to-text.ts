import type { JsonText } from "../../../src/protocols/long-json.js";
import { writeJson } from "../../../src/protocols/raw-json.js";

/** Returns a text as one string. */
export function toText(text: JsonText): string {
  return typeof text === "string" ? text : [...text.pieces()].join("");
}

/** Returns the JSON of an answer as one string. */
export const stringify = (answer: unknown): string => toText(writeJson(answer));
