import { z } from "zod";

/** How much to reason, as OpenAI's requests say it; "none" turns reasoning off. */
export const reasoningEffort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/**
 * The variables by which chat templates turn reasoning on and off: `enable_thinking` (Qwen3, GLM), `thinking` (DeepSeek,
 * Granite), `reasoning_effort` (gpt-oss). A template reads those that it knows.
 */
export function reasoningArgs(effort: z.output<typeof reasoningEffort> | undefined): Record<string, unknown> {
  if (effort === undefined) return {};
  const on = effort !== "none";
  return { enable_thinking: on, thinking: on, ...(on ? { reasoning_effort: effort } : {}) };
}
