import { z } from "zod";
/** The field with which vLLM's endpoints limit the reasoning, for APIs that have no field of their own. */
const PARAM = "thinking_token_budget";
const UNLIMITED = -1;
export const thinkingTokenBudget = z
    .int32()
    .min(UNLIMITED)
    .describe("Most tokens of reasoning, if the engine enforces that; -1: no limit.");
/** Returns undefined if the reasoning has no limit. */
export function readTokenBudget(request) {
    const { [PARAM]: tokens = UNLIMITED } = request;
    return tokens === UNLIMITED ? undefined : { tokens, param: PARAM };
}
//# sourceMappingURL=thinking-token-budget.js.map