import type { Tool } from "../../../conversation/message.js";
import type { Family } from "../family.js";
import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { ANY_TEXT, type Format, tag } from "../structure/format.js";
import { joinMembers, listMembers, type Spelling } from "../structure/schema-values.js";
import { ArgumentWriter } from "../syntax/argument-writer.js";
import { parseCallName, readUpTo } from "../syntax/call-header.js";
import type { CallContext } from "../syntax/call-syntax.js";
import { readArgumentElements } from "../syntax/element-arguments.js";
import { framedCalls } from "../syntax/framed-calls.js";
import { member } from "../tool-schema.js";

/** A token of the model's vocabulary, which is a part of every tag. */
const NAMESPACE = "]<]minimax[>[";

const TAGS = { begin: "<tool_call>", end: "</tool_call>" };
const SECTION = { begin: NAMESPACE + TAGS.begin, end: NAMESPACE + TAGS.end };
const CALL = { begin: `${NAMESPACE}<invoke name="`, end: `${NAMESPACE}</invoke>` };
const ELEMENT = { open: `${NAMESPACE}<`, close: `${NAMESPACE}</` };
const NAME_END = '">';

/** Lists are free text, because grammars cannot repeat elements that contain free text. */
const SPELLING: Spelling = {
  text: (text) => text,
  list: () => ANY_TEXT,
  object: (members) => joinMembers(members, ""),
  member: (key, value) => tag(`${ELEMENT.open}${key}>`, value, `${ELEMENT.close}${key}>`),
  any: ANY_TEXT,
};

/**
 * MiniMax-M3: calls in elements that are named after the parameters, with nested elements for lists and objects. Source:
 * the model's chat template.
 */
export const minimaxM3 = {
  name: "minimax_m3",
  calls: {
    docs: {
      models: "MiniMax-M3",
      call: `\`${SECTION.begin}\` and \`${CALL.begin}NAME">\` with an element for each argument`,
      arguments: "text or JSON",
    },
    detection: { template: [NAMESPACE], modelTypes: ["minimax_m3"] },
    syntax: {
      ...framedCalls({ section: SECTION, ...CALL, inner: [ELEMENT.open, ELEMENT.close], body: readCall }),
      markerParts: [NAMESPACE, TAGS.begin, TAGS.end],
    },
    structure: {
      trigger: SECTION.begin,
      section: { begin: `${SECTION.begin}\n`, end: `\n${SECTION.end}` },
      list: { separator: "\n" },
      describeCall: (tool) => tag(`${CALL.begin}${tool.function.name}${NAME_END}`, describeArguments(tool), CALL.end),
    },
  },
  reasoning: {
    docs: "`<mm:think>` and `</mm:think>`, or only `</mm:think>`; a call ends it",
    detection: { markers: ["<mm:think>"] },
    block: { begin: "<mm:think>", end: "</mm:think>", mayOnlyEnd: true, endsAtCalls: true },
  },
} as const satisfies Family;

function* readCall({ reader, tools }: CallContext, call: PendingCall): Step<boolean> {
  const header = yield* readUpTo(reader, [NAME_END, CALL.end]);
  const name = parseCallName(header?.text ?? "");
  if (header?.marker !== NAME_END || name === undefined) return false;
  reader.skip(NAME_END);
  call.setName(name);
  const elements = yield* readArgumentElements(reader, ELEMENT, member(tools.get(name)?.function, "parameters"));
  if (elements === undefined) return false;
  const writer = new ArgumentWriter(call);
  for (const [key, json] of elements) writer.add(key, json);
  writer.end();
  return yield* reader.at(CALL.end);
}

function describeArguments({ function: called }: Tool): Format {
  const schema = member(called, "parameters");
  const members = listMembers(schema, SPELLING, schema);
  return members === undefined ? ANY_TEXT : joinMembers(members, "");
}
