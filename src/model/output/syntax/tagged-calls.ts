import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { parameterTypes } from "../tool-schema.js";
import type { ValueRules } from "./argument-json.js";
import { ArgumentWriter } from "./argument-writer.js";
import { parseCallName, readUpTo } from "./call-header.js";
import type { CallContext, CallSyntax } from "./call-syntax.js";
import { framedCalls } from "./framed-calls.js";

/** Calls whose parameters are plain text between tags that name them. */
export interface TaggedSyntax {
  readonly section: { readonly begin: string; readonly end: string };
  /** `begin`: the opening tag up to the function's name. `nameEnd`: the rest of the tag after the name. */
  readonly begin: string;
  readonly nameEnd: string;
  readonly end: string;
  /** The tags of a parameter; `keyEnd` is the text after its name. */
  readonly parameter: { readonly begin: string; readonly keyEnd: string; readonly end: string };
  /** A value is on separate lines; the line breaks around it are not part of it. */
  readonly onOwnLines: boolean;
}

/** The tags `<function=NAME>` and `<parameter=KEY>`. */
export const FUNCTION_TAGS = {
  begin: "<function=",
  nameEnd: ">",
  end: "</function>",
  parameter: { begin: "<parameter=", keyEnd: ">", end: "</parameter>" },
} as const;

const RULES: ValueRules = { untyped: "text", nullForStrings: true };

/** Returns the syntax of calls in tags. */
export function taggedCalls(syntax: TaggedSyntax): CallSyntax {
  const { section, begin, end, parameter } = syntax;
  const inner = [parameter.begin, parameter.end];
  return framedCalls({ section, begin, end, inner, body: (context, call) => readCall(context, call, syntax) });
}

function* readCall({ reader, tools }: CallContext, call: PendingCall, syntax: TaggedSyntax): Step<boolean> {
  const header = yield* readUpTo(reader, [syntax.nameEnd, syntax.end]);
  const name = parseCallName(header?.text ?? "");
  if (header?.marker !== syntax.nameEnd || name === undefined) return false;
  reader.skip(syntax.nameEnd);
  call.setName(name);
  const tool = tools.get(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.accept(syntax.parameter.begin))) break;
    const key = yield* readUpTo(reader, [syntax.parameter.keyEnd, syntax.end]);
    if (key?.marker !== syntax.parameter.keyEnd) return false;
    reader.skip(syntax.parameter.keyEnd);
    const parameter = key.text.trim();
    const value = yield* readValue({ reader }, syntax);
    if (value === undefined) return false;
    writer.addText(parameter, value, parameterTypes(tool, parameter), RULES);
  }
  writer.end();
  return yield* reader.at(syntax.end);
}

/** Reads a value up to its closing tag, the next parameter or the end of the call. */
function* readValue({ reader }: Pick<CallContext, "reader">, syntax: TaggedSyntax): Step<string | undefined> {
  const { begin, end } = syntax.parameter;
  const value = yield* readUpTo(reader, [end, begin, syntax.end]);
  if (value === undefined) return undefined;
  if (value.marker === end) reader.skip(end);
  return syntax.onOwnLines ? value.text.replace(/^\r?\n/, "").replace(/\r?\n$/, "") : value.text;
}
