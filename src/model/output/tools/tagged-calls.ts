import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/reader.js";
import { parameterTypes, type ValueRules } from "./argument-values.js";
import { ArgumentWriter } from "./argument-writer.js";
import { framedCalls } from "./framed-calls.js";
import { callName, readUpTo } from "./named-call.js";
import type { ToolContext } from "./tool-syntax.js";

/** Calls whose parameters lie between tags, as plain text. */
interface TaggedSyntax {
  readonly section: { readonly begin: string; readonly end: string };
  /** The tag that opens a call, up to the function's name, and what follows the name. */
  readonly begin: string;
  readonly nameEnd: string;
  readonly end: string;
  /** The tags of a parameter; `keyEnd` is what follows its name. */
  readonly parameter: { readonly begin: string; readonly keyEnd: string; readonly end: string };
  /** Whether a value stands on lines of its own, so that the line breaks around it are not part of it. */
  readonly onOwnLines: boolean;
  readonly rules: ValueRules;
}

function taggedCalls(syntax: TaggedSyntax) {
  const { section, begin, end, parameter } = syntax;
  const inner = [parameter.begin, parameter.end];
  return framedCalls({ section, begin, end, inner, body: (context, call) => readCall(context, call, syntax) });
}

function* readCall({ reader, tools }: ToolContext, call: PendingCall, syntax: TaggedSyntax): Step<boolean> {
  const header = yield* readUpTo(reader, [syntax.nameEnd, syntax.end]);
  const name = callName(header?.text ?? "");
  if (header?.marker !== syntax.nameEnd || name === undefined) return false;
  reader.skip(syntax.nameEnd);
  call.named(name);
  const tool = tools.get(name);
  const writer = new ArgumentWriter(call);
  for (;;) {
    yield* reader.skipSpace();
    if (!(yield* reader.accept(syntax.parameter.begin))) break;
    const key = yield* readUpTo(reader, [syntax.parameter.keyEnd, syntax.end]);
    if (key?.marker !== syntax.parameter.keyEnd) return false;
    reader.skip(syntax.parameter.keyEnd);
    const parameter = key.text.trim();
    const value = yield* readValue({ reader, tools }, syntax);
    if (value === undefined) return false;
    writer.addText(parameter, value, parameterTypes(tool, parameter), syntax.rules);
  }
  writer.end();
  return yield* reader.at(syntax.end);
}

/** A value ends with its tag, or with the next parameter, or with the call. */
function* readValue({ reader }: Pick<ToolContext, "reader" | "tools">, syntax: TaggedSyntax): Step<string | undefined> {
  const { begin, end } = syntax.parameter;
  const value = yield* readUpTo(reader, [end, begin, syntax.end]);
  if (value === undefined) return undefined;
  if (value.marker === end) reader.skip(end);
  return syntax.onOwnLines ? value.text.replace(/^\r?\n/, "").replace(/\r?\n$/, "") : value.text;
}

const TYPED_BY_SCHEMA: ValueRules = { untyped: "text", nullForStrings: true };
const FUNCTION_TAGS = {
  begin: "<function=",
  nameEnd: ">",
  end: "</function>",
  parameter: { begin: "<parameter=", keyEnd: ">", end: "</parameter>" },
  rules: TYPED_BY_SCHEMA,
};

/**
 * Qwen3-Coder, Qwen3.5, Nemotron 3 and others: `<function=NAME>` with `<parameter=KEY>` in it. The tags around it are
 * often forgotten. Source: the models' chat templates.
 */
export const qwen3Coder = taggedCalls({
  section: { begin: "<tool_call>", end: "</tool_call>" },
  ...FUNCTION_TAGS,
  onOwnLines: true,
});

/** Seed-OSS: the same in tags of its own, values right between theirs. Source: the model's chat template. */
export const seedOss = taggedCalls({
  section: { begin: "<seed:tool_call>", end: "</seed:tool_call>" },
  ...FUNCTION_TAGS,
  onOwnLines: false,
});

/** MiniMax-M2: `<invoke name="NAME">` with `<parameter name="KEY">` in it. Source: the model's chat template. */
export const minimaxM2 = taggedCalls({
  section: { begin: "<minimax:tool_call>", end: "</minimax:tool_call>" },
  begin: '<invoke name="',
  nameEnd: '">',
  end: "</invoke>",
  parameter: { begin: '<parameter name="', keyEnd: '">', end: "</parameter>" },
  onOwnLines: false,
  rules: TYPED_BY_SCHEMA,
});
