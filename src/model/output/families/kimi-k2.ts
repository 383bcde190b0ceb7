import type { Family } from "../family.js";
import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { THINK } from "../reasoning/reasoning-block.js";
import { describeJsonArguments } from "../structure/call-structure.js";
import { constant, regex, sequence, tag } from "../structure/format.js";
import { parseCallName, readUpTo } from "../syntax/call-header.js";
import type { CallContext } from "../syntax/call-syntax.js";
import { framedCalls } from "../syntax/framed-calls.js";
import { readArguments } from "../syntax/json-call.js";

const SECTION = { begin: "<|tool_calls_section_begin|>", end: "<|tool_calls_section_end|>" };
const BEGIN = "<|tool_call_begin|>";
const ARGUMENTS = "<|tool_call_argument_begin|>";
const END = "<|tool_call_end|>";

/**
 * Kimi K2: the call's id `functions.NAME:INDEX`, which later prompts must repeat, and the arguments.
 * Sources: the model's chat template and tool-calling guide.
 */
export const kimiK2 = {
  name: "kimi_k2",
  calls: {
    docs: { models: "Kimi K2", call: `\`${BEGIN}functions.NAME:0${ARGUMENTS}{…}\``, arguments: "JSON" },
    detection: { template: [SECTION.begin], modelTypes: ["kimi_k2"] },
    thinksLike: "kimi_k2",
    syntax: framedCalls({
      section: SECTION,
      begin: BEGIN,
      end: END,
      inner: [ARGUMENTS],
      body: readBody,
    }),
    structure: {
      trigger: SECTION.begin,
      section: SECTION,
      list: { opener: BEGIN },
      describeCall: (tool) => {
        const body = [regex("[0-9]{1,4}"), constant(ARGUMENTS), describeJsonArguments(tool)];
        return tag(`${BEGIN}functions.${tool.function.name}:`, sequence(body), END);
      },
    },
  },
  reasoning: {
    docs: "`<think>` and `</think>`; the section of calls ends it",
    block: { ...THINK, endsAtCalls: true },
  },
} as const satisfies Family;

function* readBody(context: CallContext, call: PendingCall): Step<boolean> {
  const { reader } = context;
  const header = yield* readUpTo(reader, [ARGUMENTS, END]);
  const id = parseCallName(header?.text ?? "");
  if (header?.marker !== ARGUMENTS || id === undefined) return false;
  reader.skip(ARGUMENTS);
  const [, name] = /^(?:functions\.)?(.+):[0-9]+$/.exec(id) ?? [];
  if (name === undefined) return false;
  call.setName(name, id);
  return yield* readArguments(context, call, [END]);
}
