import type { Family } from "../family.js";
import type { Step } from "../reader/output-cursor.js";
import { THINK } from "../reasoning/reasoning-block.js";
import { describeJsonCall } from "../structure/call-structure.js";
import { listCalls } from "../syntax/call-list.js";
import type { CallContext } from "../syntax/call-syntax.js";

const CALLS = { begin: "<tool_calls>", end: "</tool_calls>" };
const LIST = listCalls([CALLS]);

/** "Assistant:". The template asks for it before answers, and writes it itself in later turns. */
const SPEAKER = "助手：";

/**
 * Hunyuan-A13B: a JSON list between tags. The model writes the answer, with its calls, between tags too. Sources: the
 * model's chat template and guide to agents.
 *
 * Apriel 1.5 and 1.6 write calls in the same way.
 */
export const hunyuanA13b = {
  name: "hunyuan_a13b",
  calls: {
    docs: {
      models: "Hunyuan-A13B, Apriel 1.5 and 1.6",
      call: '`<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>`',
      arguments: "JSON",
    },
    detection: { template: [`${CALLS.begin}[`], modelTypes: ["hunyuan_v1_moe"] },
    thinksLike: "hunyuan_a13b",
    syntax: { markers: LIST.markers, read },
    structure: {
      trigger: CALLS.begin,
      section: { begin: `${CALLS.begin}[`, end: `]${CALLS.end}` },
      list: { separator: ", " },
      describeCall: describeJsonCall((name) => `{"name": "${name}", "arguments": `, "}"),
    },
  },
  reasoning: {
    docs: "`<think>` and `</think>`; `<answer>` and `</answer>` around the answer are left out",
    block: { ...THINK, answer: { begin: "<answer>", end: "</answer>" } },
  },
} as const satisfies Family;

function* read(context: CallContext): Step<void> {
  const { reader, out } = context;
  reader.startRecording();
  yield* reader.skipSpace();
  const hasSpeaker = yield* reader.accept(SPEAKER);
  const written = reader.endRecording();
  if (hasSpeaker) out.markBoundary();
  else out.text(written);
  yield* LIST.read(context);
}
