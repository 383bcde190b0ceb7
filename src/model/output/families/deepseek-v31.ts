import type { Family } from "../family.js";
import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { describeJsonCall } from "../structure/call-structure.js";
import { parseCallName, readUpTo } from "../syntax/call-header.js";
import type { CallContext } from "../syntax/call-syntax.js";
import { DEEPSEEK_CALL, DEEPSEEK_FRAME, DEEPSEEK_SECTION } from "../syntax/deepseek-frame.js";
import { framedCalls } from "../syntax/framed-calls.js";
import { readArguments } from "../syntax/json-call.js";

const { begin, separator, end } = DEEPSEEK_CALL;

/** DeepSeek V3.1: the name, a separator, the arguments. Source: the model's chat template. */
export const deepseekV31 = {
  name: "deepseek_v31",
  calls: {
    docs: { models: "DeepSeek V3.1", call: `\`${begin}NAME${separator}{…}\``, arguments: "JSON" },
    // DeepSeek V3 uses the same markers, but its template puts the arguments into a "```json" block.
    detection: { template: [begin], templateLacks: ["```json"] },
    syntax: framedCalls({ ...DEEPSEEK_FRAME, body: readCall }),
    structure: {
      ...DEEPSEEK_SECTION,
      list: { opener: begin },
      describeCall: describeJsonCall((name) => `${begin}${name}${separator}`, end),
    },
  },
} as const satisfies Family;

function* readCall(context: CallContext, call: PendingCall): Step<boolean> {
  const { reader } = context;
  const header = yield* readUpTo(reader, [separator, end]);
  const name = parseCallName(header?.text ?? "");
  if (header?.marker !== separator || name === undefined) return false;
  reader.skip(separator);
  call.setName(name);
  return yield* readArguments(context, call, [end]);
}
