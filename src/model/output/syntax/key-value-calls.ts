import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { parameterTypes } from "../tool-schema.js";
import type { ValueRules } from "./argument-json.js";
import { ArgumentWriter } from "./argument-writer.js";
import { parseCallName, readUpTo } from "./call-header.js";
import type { CallContext, CallSyntax } from "./call-syntax.js";
import { framedCalls } from "./framed-calls.js";

interface Tags {
  readonly begin: string;
  readonly end: string;
}

/** Calls whose arguments are pairs of a key and a value, each between separate tags. */
export interface KeyValueSyntax extends Tags {
  /** Tags around one or several calls. */
  readonly section?: Tags;
  /** The text after the function's name. Undefined if the first key or the end of the call follows. */
  readonly nameEnd?: string;
  readonly key: Tags;
  readonly value: Tags;
}

const RULES: ValueRules = { untyped: "json", nullForStrings: false };

/** Returns the syntax of calls with key-value pairs. */
export function keyValueCalls(syntax: KeyValueSyntax): CallSyntax {
  const { section, begin, end, nameEnd, key, value } = syntax;
  const tags = [key.begin, key.end, value.begin, value.end];
  return framedCalls({
    ...(section ? { section } : {}),
    begin,
    end,
    inner: nameEnd === undefined ? tags : [nameEnd, ...tags],
    body: (context, call) => readCall(context, call, syntax),
  });
}

function* readCall({ reader, tools }: CallContext, call: PendingCall, syntax: KeyValueSyntax): Step<boolean> {
  const { section, begin, nameEnd, key, end } = syntax;
  const header = yield* readUpTo(reader, [nameEnd ?? key.begin, end]);
  const name = parseCallName(header?.text ?? "");
  if (name === undefined) return false;
  if (nameEnd !== undefined && !(yield* reader.accept(nameEnd))) return false;
  call.setName(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.accept(key.begin))) break;
    const pair = yield* readPair({ reader }, syntax);
    if (pair === undefined) return false;
    writer.addText(pair.key, pair.value, parameterTypes(tools.get(name), pair.key), RULES);
  }
  writer.end();
  for (const tag of [end, section?.end, begin]) if (tag !== undefined && (yield* reader.at(tag))) return true;
  return yield* reader.atWholeEnd();
}

/** Reads a pair whose first tag is taken. */
function* readPair(
  { reader }: Pick<CallContext, "reader">,
  { key, value, end }: KeyValueSyntax,
): Step<{ readonly key: string; readonly value: string } | undefined> {
  const name = yield* readUpTo(reader, [key.end, end]);
  if (name?.marker !== key.end) return undefined;
  reader.skip(key.end);
  yield* reader.skipSpace();
  if (!(yield* reader.accept(value.begin))) return undefined;
  const written = yield* readUpTo(reader, [value.end]);
  if (written === undefined) return undefined;
  reader.skip(value.end);
  return { key: name.text.trim(), value: written.text };
}
