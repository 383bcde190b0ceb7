import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
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
  /**
   * Where the template writes a value: `own lines`: one line break at each end belongs to the tags. `between tags`: line
   * breaks are part of the value, except one at each end if both ends have one, because models then mean own lines.
   */
  readonly layout: "own lines" | "between tags";
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
    const value = yield* readValue(reader, syntax);
    if (value === undefined) return false;
    writer.addText(parameter, value, parameterTypes(tool, parameter), RULES);
  }
  writer.end();
  return yield* isAtEnd(reader, syntax);
}

/** Returns true if the call ends here: with its tag, before a tag around calls or another call, or with the output. */
function* isAtEnd(reader: CallContext["reader"], { begin, end, section }: TaggedSyntax): Step<boolean> {
  for (const marker of [end, section.end, section.begin, begin]) if (yield* reader.at(marker)) return true;
  return yield* reader.atWholeEnd();
}

/**
 * Reads a value up to its closing tag, the next parameter or the end of the call. The tag that ends a section is part of a
 * value, unless the output ends with it.
 */
function* readValue(reader: CallContext["reader"], syntax: TaggedSyntax): Step<string | undefined> {
  const { begin, end } = syntax.parameter;
  let value = "";
  const marker = yield* reader.until(reader.markers([end, begin, syntax.end]), (part) => {
    value += part;
  });
  if (marker === undefined) {
    const whole = value.trimEnd();
    if (!whole.endsWith(syntax.section.end)) return undefined;
    value = whole.slice(0, -syntax.section.end.length);
  } else if (marker === end) reader.skip(end);
  return withoutLineBreaks(value, syntax.layout);
}

const OWN_LINES = /^\r?\n([\s\S]*)\r?\n$/;

function withoutLineBreaks(text: string, layout: TaggedSyntax["layout"]): string {
  if (layout === "own lines") return text.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
  return OWN_LINES.exec(text)?.[1] ?? text;
}
