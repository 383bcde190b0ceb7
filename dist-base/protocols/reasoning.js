import { z } from "zod";
/** How much the model reasons, with OpenAI's values. "none" turns reasoning off. */
export const reasoningEffort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);
/** Kimi K3's template accepts three efforts and refuses others. */
const KIMI_EFFORTS = {
    minimal: "low",
    low: "low",
    medium: "high",
    high: "high",
    xhigh: "max",
    max: "max",
};
/** Returns the variables of the chat template for an effort. */
export function reasoningArgs(effort) {
    if (effort === undefined)
        return {};
    if (effort === "none")
        return thinkingArgs("disabled");
    return { ...thinkingArgs("enabled"), reasoning_effort: effort, thinking_effort: KIMI_EFFORTS[effort] };
}
/**
 * Returns the variables with which chat templates turn reasoning on and off: `enable_thinking` (Qwen3, GLM), `thinking`
 * (DeepSeek, Granite), `thinking_mode` (MiniMax-M3), `thinking_budget` (Seed-OSS; 0 is off). Templates ignore variables
 * that they do not use.
 */
export function thinkingArgs(mode, budget) {
    const on = mode !== "disabled";
    const tokens = on ? budget : 0;
    return {
        enable_thinking: on,
        thinking: on,
        thinking_mode: mode,
        ...(tokens === undefined ? {} : { thinking_budget: tokens }),
    };
}
//# sourceMappingURL=reasoning.js.map