import { NONE, type Value } from "./values/value.js";

/** Names that Jinja2 reads as constants. A variable of that name is never read. */
export const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", NONE],
  ["None", NONE],
]);
