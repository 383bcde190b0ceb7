import { unsupported } from "../fields.js";

/** Returns the schema of a field that holds an image or another file. All are refused: a prompt contains text only. */
export function media(field: "inlineData" | "fileData") {
  return unsupported(`${field} (only text is supported)`);
}

/** Files beside a function's response. */
export const responseMedia = unsupported(
  "functionResponse.parts (only text is supported)",
  (value) => Array.isArray(value) && value.length === 0,
);
