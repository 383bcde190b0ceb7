import type { Tool } from "../../../conversation/message.js";
import type { Family } from "../family.js";
import type { PendingCall } from "../message/pending-call.js";
import { ANY_TEXT, constant, type Format, grammar, json, sequence, tag } from "../structure/format.js";
import { joinMembers, listMembers, type ObjectMember, type Spelling } from "../structure/schema-values.js";
import { ArgumentWriter } from "../syntax/argument-writer.js";
import { type BracedSyntax, readBracedMembers } from "../syntax/braced-value.js";
import { parseCallName, readUpTo } from "../syntax/call-header.js";
import type { CallContext } from "../syntax/call-syntax.js";
import { framedCalls } from "../syntax/framed-calls.js";
import { member } from "../tool-schema.js";

const CALL = { begin: "<|tool_call>", end: "<tool_call|>" };
const QUOTE = '<|"|>';
const BRACED: BracedSyntax = { quote: QUOTE, end: CALL.end };

/** Any value as the models write it. Its strings contain no `<|`. */
const ANY = `value ::= string | number | "true" | "false" | "null" | object | list
string ::= "<|\\"|>" character* "<|\\"|>"
character ::= [^<] | "<" other
other ::= "<" other | [^<|]
number ::= "-"? [0-9]+ ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
object ::= "{" (pair ("," pair)*)? "}"
pair ::= [^:{}<]* ":" value
list ::= "[" (value ("," value)*)? "]"`;
const ANY_LIST = grammar(`root ::= list\n${ANY}`);

const SPELLING: Spelling = {
  text: (text) => tag(QUOTE, text, QUOTE),
  list: describeList,
  object: (members) => tag("{", joinMembers(sort(members), ","), "}"),
  member: (key, value) => sequence([constant(`${key}:`), value]),
  any: grammar(`root ::= value\n${ANY}`),
};

/**
 * Gemma 4: keys without quotes, strings between quote tokens, and a thought channel. Sources: the model's chat template;
 * Google's prompt format.
 */
export const gemma4 = {
  name: "gemma4",
  calls: {
    docs: {
      models: "Gemma 4",
      call: `\`${CALL.begin}call:NAME{KEY:${QUOTE}…${QUOTE},…}${CALL.end}\``,
      arguments: "marked text",
    },
    detection: { template: [`${CALL.begin}call:`], modelTypes: ["gemma4"] },
    syntax: framedCalls({ ...CALL, inner: [QUOTE], body: readCall }),
    structure: {
      trigger: CALL.begin,
      list: { opener: CALL.begin },
      describeCall: (tool) => tag(`${CALL.begin}call:${tool.function.name}{`, describeArguments(tool), `}${CALL.end}`),
    },
  },
  reasoning: {
    docs: "the `thought` channel; a call ends it",
    detection: { markers: ["<|channel>"] },
    block: { begin: "<|channel>", end: "<channel|>", label: "thought\n", endsAtCalls: true },
  },
} as const satisfies Family;

function* readCall({ reader }: CallContext, call: PendingCall) {
  const header = yield* readUpTo(reader, ["{", CALL.end]);
  // Some models leave out `call`, or `call:`.
  const name = parseCallName(header?.text.replace(/^\s*(?:call)?:/, "") ?? "");
  if (header?.marker !== "{" || name === undefined) return false;
  reader.skip("{");
  call.setName(name);
  const writer = new ArgumentWriter(call);
  if (!(yield* readBracedMembers(reader, BRACED, (key, json) => writer.add(key, json)))) return false;
  writer.end();
  return true;
}

/** Numbers and words are spelled as in JSON. A list of values of which only some are is a list of any values. */
function describeList(item: Format): Format {
  if (item.type === "json_schema") return json({ type: "array", items: item.json_schema });
  const items = item.type === "or" ? item.elements : [item];
  const tags = items.filter((each) => each.type === "tag");
  if (tags.length < items.length) return ANY_LIST;
  const list = { tags, separator: ",", at_least_one: false, stop_after_first: false };
  return tag("[", { type: "tags_with_separator", ...list }, "]");
}

/** Sorts members as the chat template does, which sorts those of calls and those of tools. */
function sort(members: readonly ObjectMember[]): readonly ObjectMember[] {
  const order = ({ key }: ObjectMember): string => key.toLowerCase();
  return members.toSorted((a, b) => (order(a) < order(b) ? -1 : Number(order(a) > order(b))));
}

function describeArguments({ function: called }: Tool): Format {
  const schema = member(called, "parameters");
  const members = listMembers(schema, SPELLING, schema);
  return members === undefined ? ANY_TEXT : joinMembers(sort(members), ",");
}
