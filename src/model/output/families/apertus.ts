import type { Family } from "../family.js";
import type { PendingCall } from "../message/pending-call.js";
import { readJsonString } from "../reader/json-value.js";
import type { Step } from "../reader/output-cursor.js";
import { describeJsonCall } from "../structure/call-structure.js";
import { listCalls } from "../syntax/call-list.js";
import type { CallContext } from "../syntax/call-syntax.js";
import { readArguments } from "../syntax/json-call.js";

const CALLS = { begin: "<|tools_prefix|>", end: "<|tools_suffix|>" };
const THINK = { begin: "<|inner_prefix|>", end: "<|inner_suffix|>" };

/** Apertus: a list of objects whose only key is the function's name. Source: the model's chat template. */
export const apertus = {
  name: "apertus",
  calls: {
    docs: { models: "Apertus", call: '`<|tools_prefix|>[{"NAME": {…}}]<|tools_suffix|>`', arguments: "JSON" },
    detection: { template: [CALLS.begin], modelTypes: ["apertus"] },
    syntax: listCalls([CALLS], readItem),
    structure: {
      trigger: CALLS.begin,
      section: { begin: `${CALLS.begin}[`, end: `]${CALLS.end}` },
      list: { separator: ", " },
      describeCall: describeJsonCall((name) => `{"${name}": `, "}"),
    },
  },
  reasoning: {
    docs: "`<|inner_prefix|>` and `<|inner_suffix|>`",
    detection: { markers: [THINK.begin] },
    block: THINK,
  },
} as const satisfies Family;

function* readItem(context: CallContext, call: PendingCall): Step<boolean> {
  const { reader } = context;
  yield* reader.skipSpace();
  if (!(yield* reader.accept("{"))) return false;
  const name = yield* readJsonString(reader);
  yield* reader.skipSpace();
  if (name === undefined || name === "" || !(yield* reader.accept(":"))) return false;
  call.setName(name);
  if (!(yield* readArguments(context, call, ["}"]))) return false;
  yield* reader.skipSpace();
  return yield* reader.accept("}");
}
