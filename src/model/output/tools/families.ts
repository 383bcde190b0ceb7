import { deepseekV3, deepseekV31 } from "./deepseek.js";
import { dsmlCalls } from "./dsml.js";
import { glm45 } from "./glm45.js";
import { hermes } from "./hermes.js";
import { kimiK2 } from "./kimi-k2.js";
import { llama3Json } from "./llama3-json.js";
import { mistral } from "./mistral.js";
import { pythonic } from "./pythonic.js";
import { minimaxM2, qwen3Coder, seedOss } from "./tagged-calls.js";
import type { ToolSyntax } from "./tool-syntax.js";

/** How tool calls are written, by family. */
export const TOOL_FAMILIES = {
  hermes,
  qwen3_coder: qwen3Coder,
  llama3_json: llama3Json,
  pythonic,
  deepseek_v3: deepseekV3,
  deepseek_v31: deepseekV31,
  deepseek_v32: dsmlCalls("function_calls"),
  deepseek_v4: dsmlCalls("tool_calls"),
  kimi_k2: kimiK2,
  glm45,
  mistral,
  minimax_m2: minimaxM2,
  seed_oss: seedOss,
} as const satisfies Record<string, ToolSyntax>;
