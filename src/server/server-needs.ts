import type { Config } from "../config/index.js";
import type { ServerNeeds } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";

/** Contains what tokenizers split differently: cases, digits, spaces, line breaks, punctuation, other scripts. */
const SAMPLE = "It's 12,345 o'clock —\n\n  was bedeutet „Größe“?  東京 🙂 don't STOP\t(x == 0.5);";

/** Returns what calls of this configuration will need of engine servers. */
export async function findServerNeeds(
  model: Pick<ChatModel, "prompt" | "families">,
  { engine, rollout: { agent } }: Config,
): Promise<ServerNeeds> {
  const { parts, idPieces } = await model.prompt({ messages: [{ role: "user", content: SAMPLE }] });
  return {
    sample: { text: parts.join(""), ids: idPieces.flatMap((ids) => [...ids]) },
    reasoning: model.families.reasoning !== "none",
    masks: engine.sampling_masks,
    topLogprobs: engine.top_logprobs,
    images: agent.images === "tokens",
    contextLength: engine.context_length ?? agent.engine_max_tokens ?? undefined,
  };
}
