import type { GenerateCall } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";

/**
 * Marks the tokens of a call's generation that the server forced because the thinking budget was used up. Without the ids of the
 * model's markers, no token is marked.
 *
 * @returns true if the output ends in reasoning, or if this is not known
 */
export function markForced(
  { prompt, generation, sampling, reasoning }: GenerateCall,
  { budgetStart, logprobs }: Pick<EngineServer, "budgetStart" | "logprobs">,
): boolean {
  const { thinkingBudget } = sampling;
  if (thinkingBudget === undefined || reasoning === undefined) return true;
  return generation.markForced(prompt, {
    begin: budgetStart === "reasoning" ? reasoning.begin : undefined,
    end: reasoning.end,
    budget: thinkingBudget,
    // Log probabilities of what was sampled have the mask that forces a token; those of the model do not.
    isCertain: logprobs === "temperature" || logprobs === "truncated",
  });
}
