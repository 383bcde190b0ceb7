import type { PendingCall } from "../message/pending-call.js";
import { readJsonString, readJsonValue } from "../reader/json-value.js";
import type { OutputReader, Step } from "../reader/reader.js";

export interface JsonCallOptions {
  /** Returns true for functions that may be called; by default, all. If set, the name must come before the arguments. */
  readonly isKnown?: (name: string) => boolean;
  /** The field with the function's name. Default: `name`. */
  readonly nameField?: string;
}

/**
 * Reads a call that is one JSON object with `name` and `arguments` or `parameters`; other fields are ignored. The arguments
 * keep their spelling.
 *
 * @returns true if the call is well formed
 */
export function* readJsonCall(reader: OutputReader, call: PendingCall, options: JsonCallOptions = {}): Step<boolean> {
  yield* reader.skipSpace();
  if (!(yield* reader.accept("{"))) return false;
  for (;;) {
    const key = yield* readJsonString(reader);
    yield* reader.skipSpace();
    if (key === undefined || !(yield* reader.accept(":"))) return false;
    if (!(yield* readField(reader, call, key, options))) return false;
    yield* reader.skipSpace();
    if (yield* reader.accept("}")) return call.isNamed;
    if (!(yield* reader.accept(","))) return false;
  }
}

function* readField(reader: OutputReader, call: PendingCall, key: string, options: JsonCallOptions): Step<boolean> {
  const { isKnown, nameField = "name" } = options;
  if (key === nameField && !call.isNamed) {
    const name = yield* readJsonString(reader);
    if (name === undefined || name === "" || isKnown?.(name) === false) return false;
    call.setName(name);
    return true;
  }
  if (isKnown !== undefined && !call.isNamed && key !== "type") return false;
  if (key === "arguments" || key === "parameters") return yield* readArguments(reader, call);
  return yield* readJsonValue(reader, () => {});
}

/** Reads the arguments, which are a JSON object. They keep their spelling. */
export function* readArguments(reader: OutputReader, call: PendingCall): Step<boolean> {
  yield* reader.skipSpace();
  return (yield* reader.peek()) === "{" && (yield* readJsonValue(reader, call.arguments));
}
