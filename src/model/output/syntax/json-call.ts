import type { PendingCall } from "../message/pending-call.js";
import { readJsonString, readJsonValue } from "../reader/json-value.js";
import type { OutputCursor, Step } from "../reader/output-cursor.js";
import { hasNoParameters } from "../tool-schema.js";
import type { CallContext } from "./call-syntax.js";

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
export function* readJsonCall(context: CallContext, call: PendingCall, options: JsonCallOptions = {}): Step<boolean> {
  const { reader, tools } = context;
  yield* reader.skipSpace();
  if (!(yield* reader.accept("{"))) return false;
  let isEmpty = false;
  for (;;) {
    const key = yield* readJsonString(reader);
    yield* reader.skipSpace();
    if (key === undefined || !(yield* reader.accept(":"))) return false;
    const field = yield* readField(reader, call, key, options);
    if (field === "malformed") return false;
    isEmpty ||= field === "empty";
    yield* reader.skipSpace();
    if (yield* reader.accept("}")) break;
    if (!(yield* reader.accept(","))) return false;
  }
  // The name may come after the arguments, so the tool is known only now.
  return call.name !== undefined && (!isEmpty || hasNoParameters(tools.get(call.name)));
}

/** `empty`: the arguments are `null` or an empty string. */
type Field = "well formed" | "empty" | "malformed";

function* readField(reader: OutputCursor, call: PendingCall, key: string, options: JsonCallOptions): Step<Field> {
  const { isKnown, nameField = "name" } = options;
  if (key === nameField && !call.isNamed) {
    const name = yield* readJsonString(reader);
    if (name === undefined || name === "" || isKnown?.(name) === false) return "malformed";
    call.setName(name);
    return "well formed";
  }
  if (isKnown !== undefined && !call.isNamed && key !== "type") return "malformed";
  if (key === "arguments" || key === "parameters") return yield* readArgumentsField(reader, call);
  return (yield* readJsonValue(reader, () => {})) ? "well formed" : "malformed";
}

function* readArgumentsField(reader: OutputCursor, call: PendingCall): Step<Field> {
  yield* reader.skipSpace();
  if ((yield* reader.peek()) === "{") {
    if (call.hasArguments) return "malformed";
    return (yield* readJsonValue(reader, call.arguments)) ? "well formed" : "malformed";
  }
  let text = "";
  const isWhole = yield* readJsonValue(reader, (part) => {
    text += part;
  });
  return isWhole && isEmptyValue(text.trim()) ? "empty" : "malformed";
}

const isEmptyValue = (json: string): boolean => json === "null" || json === '""';

/**
 * Reads the arguments of a call whose name is set, up to text that is not part of them. They are a JSON object and keep
 * their spelling. A tool without parameters may have nothing there, `null` or an empty string.
 *
 * @param ends markers, one of which follows the arguments
 */
export function* readArguments(
  { reader, tools }: CallContext,
  call: PendingCall,
  ends: readonly string[],
): Step<boolean> {
  yield* reader.skipSpace();
  if ((yield* reader.peek()) === "{") return yield* readJsonValue(reader, call.arguments);
  if (call.name === undefined || !hasNoParameters(tools.get(call.name))) return false;
  for (const end of ends) if (yield* reader.at(end)) return true;
  if (yield* reader.atWholeEnd()) return true;
  return (yield* readArgumentsField(reader, call)) === "empty";
}
