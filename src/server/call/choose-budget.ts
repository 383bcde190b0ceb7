import type { ServerContext } from "../context.js";
import type { BuiltPrompt } from "./build-prompt.js";
import type { ModelCall } from "./model-call.js";

/** Returns the limit of a call's reasoning, in tokens; undefined if it has none or if the answer has no reasoning. */
export function chooseBudget(
  { model }: ServerContext,
  { request: { conversation, sampling } }: ModelCall,
  { decodeEnd }: BuiltPrompt,
): number | undefined {
  const { thinkingBudget: budget } = sampling;
  if (budget === undefined || conversation.prefill !== undefined) return undefined;
  return model.hasEndedReasoning(decodeEnd()) ? undefined : budget.tokens;
}
