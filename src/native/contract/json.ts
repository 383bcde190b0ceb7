/** Most that a JSON document may hold. What is counted is what `JSON.parse` would build. */
export interface JsonLimits {
  /** Arrays and objects inside each other; the outermost is 1. From 1 to 127. */
  readonly depth: number;
  /**
   * Strings, numbers, literals, arrays and objects, without keys. Those of tool calls' `arguments`, which are JSON as a
   * string, count as well. Numbers that are items of arrays count less: eight of at most eight bytes, such as
   * token ids, or two longer ones count as one.
   */
  readonly values: number;
  /** Keys of one object. */
  readonly keys: number;
  /** Items of arrays that are fields of the outermost object, by the field's name. */
  readonly lists: Readonly<Record<string, number>>;
}

/**
 * The first limit that a document exceeds. `word`: the bytes of a key or a number, outside of `arguments`. `prototype`: a key that code could mistake for an object's prototype, `__proto__`, or
 * `prototype` in an object under `constructor`. None is allowed, except in `arguments`.
 */
export type JsonExcess =
  | { readonly limit: "prototype"; readonly allowed: 0 }
  | { readonly limit: "depth" | "values" | "keys" | "word"; readonly allowed: number }
  | { readonly limit: "items"; readonly allowed: number; readonly list: string };

export interface NativeJsonCheck {
  /**
   * Returns the first limit that a JSON document in UTF-8 exceeds, without building anything. Undefined also for a text that
   * is not JSON and exceeds no limit before its first error: `JSON.parse` refuses it there.
   */
  findExcess(json: Uint8Array): JsonExcess | undefined;
  /** {@link findExcess} on a worker thread. `json` must not be changed or transferred meanwhile, and its buffer must have a fixed size. */
  findExcessAsync(json: Uint8Array): Promise<JsonExcess | undefined>;
}
