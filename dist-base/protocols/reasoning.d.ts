import { z } from "zod";
/** How much the model reasons, with OpenAI's values. "none" turns reasoning off. */
export declare const reasoningEffort: z.ZodEnum<{
    high: "high";
    low: "low";
    max: "max";
    medium: "medium";
    minimal: "minimal";
    none: "none";
    xhigh: "xhigh";
}>;
type Effort = z.output<typeof reasoningEffort>;
/** Returns the variables of the chat template for an effort. */
export declare function reasoningArgs(effort: Effort | undefined): Record<string, unknown>;
/**
 * Returns the variables with which chat templates turn reasoning on and off: `enable_thinking` (Qwen3, GLM), `thinking`
 * (DeepSeek, Granite), `thinking_mode` (MiniMax-M3), `thinking_budget` (Seed-OSS; 0 is off). Templates ignore variables
 * that they do not use.
 */
export declare function thinkingArgs(mode: "enabled" | "disabled" | "adaptive", budget?: number): Record<string, unknown>;
export {};
