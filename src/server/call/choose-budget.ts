import type { Turn } from "../../session/turn/turn.js";
import type { ServerContext } from "../context.js";
import { decodePromptEnd } from "./build-prompt.js";
import type { ModelCall } from "./model-call.js";

/** Returns the limit of a call's reasoning, in tokens; undefined if it has none or if the answer has no reasoning. */
export function chooseBudget(
  { model }: ServerContext,
  { request: { conversation, sampling } }: ModelCall,
  turn: Turn,
): number | undefined {
  const { thinkingBudget: budget } = sampling;
  if (budget === undefined || conversation.prefill !== undefined) return undefined;
  return model.hasEndedReasoning(decodePromptEnd(model, turn)) ? undefined : budget.tokens;
}
