import type { ReasoningSyntax } from "./reasoning-syntax.js";

const THINK = { begin: "<think>", end: "</think>" };

/** Reasoning in a block of its own, by family. Sources: the models' chat templates. */
export const REASONING_FAMILIES = {
  deepseek_r1: { ...THINK, isForced: true },
  deepseek_v3: THINK,
  qwen3: { ...THINK, endsAtCalls: true },
  glm45: THINK,
  kimi_k2: { ...THINK, endsAtCalls: true },
  kimi: { begin: "◁think▷", end: "◁/think▷" },
  mistral: { begin: "[THINK]", end: "[/THINK]" },
  seed_oss: { begin: "<seed:think>", end: "</seed:think>" },
} as const satisfies Record<string, ReasoningSyntax>;
