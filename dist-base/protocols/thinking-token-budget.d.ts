import { z } from "zod";
import type { ThinkingBudget } from "./request-sampling.js";
/** The field with which vLLM's endpoints limit the reasoning, for APIs that have no field of their own. */
declare const PARAM = "thinking_token_budget";
export declare const thinkingTokenBudget: z.ZodInt32;
/** Returns undefined if the reasoning has no limit. */
export declare function readTokenBudget(request: {
    readonly [PARAM]?: number | undefined;
}): ThinkingBudget | undefined;
export {};
