import type { Family } from "../family.js";
import type { PendingCall } from "../message/pending-call.js";
import type { Step } from "../reader/output-cursor.js";
import { THINK } from "../reasoning/reasoning-block.js";
import { describeJsonCall } from "../structure/call-structure.js";
import { parseCallName, readUpTo } from "../syntax/call-header.js";
import type { CallContext } from "../syntax/call-syntax.js";
import { DEEPSEEK_CALL, DEEPSEEK_FRAME, DEEPSEEK_SECTION } from "../syntax/deepseek-frame.js";
import { framedCalls } from "../syntax/framed-calls.js";
import { readArguments } from "../syntax/json-call.js";

const { begin, separator, end } = DEEPSEEK_CALL;
const FENCE = "```";

/**
 * DeepSeek V3 and R1: `function`, a separator, the name, and the arguments between fences. Sources: the models' chat
 * templates.
 *
 * Its reasoning is the default for models with `</think>`.
 */
export const deepseekV3 = {
  name: "deepseek_v3",
  calls: {
    docs: {
      models: "DeepSeek V3, R1",
      call: `\`${begin}function${separator}NAME\` and fenced JSON`,
      arguments: "JSON",
    },
    detection: { template: [begin, `${FENCE}json`] },
    syntax: framedCalls({ ...DEEPSEEK_FRAME, body: readFenced }),
    structure: {
      ...DEEPSEEK_SECTION,
      list: { separator: "\n" },
      describeCall: describeJsonCall(
        (name) => `${begin}function${separator}${name}\n${FENCE}json\n`,
        `\n${FENCE}${end}`,
      ),
    },
  },
  reasoning: {
    docs: "`<think>` and `</think>`",
    // Olmo 3 Think's template only begins the reasoning.
    detection: { markers: [THINK.end, THINK.begin], isShared: true },
    block: THINK,
  },
} as const satisfies Family;

function* readFenced(context: CallContext, call: PendingCall): Step<boolean> {
  const { reader } = context;
  const type = yield* readUpTo(reader, [separator, end]);
  if (type?.marker !== separator || type.text.trim() !== "function") return false;
  reader.skip(separator);
  const header = yield* readUpTo(reader, [FENCE, end]);
  const name = parseCallName(header?.text ?? "");
  if (header?.marker !== FENCE || name === undefined) return false;
  reader.skip(FENCE);
  yield* reader.accept("json");
  call.setName(name);
  if (!(yield* readArguments(context, call, [FENCE]))) return false;
  yield* reader.skipSpace();
  return yield* reader.accept(FENCE);
}
