// Written by `npm run docs:families` from src/model/output/families. Names keep the order in which they were published.

/** Families of tool calls. */
export const TOOL_CALL_PARSERS = [
  "hermes",
  "qwen3_coder",
  "llama3_json",
  "pythonic",
  "deepseek_v3",
  "deepseek_v31",
  "deepseek_v32",
  "deepseek_v4",
  "kimi_k2",
  "kimi_k3",
  "glm45",
  "mistral",
  "minimax_m2",
  "seed_oss",
  "gpt_oss",
  "hy_v3",
  "cohere_command",
  "gemma4",
  "lfm2",
  "minimax_m3",
] as const;

/** Families of reasoning. */
export const REASONING_PARSERS = [
  "deepseek_r1",
  "deepseek_v3",
  "qwen3",
  "glm45",
  "kimi_k2",
  "kimi_k3",
  "kimi",
  "mistral",
  "seed_oss",
  "gpt_oss",
  "hy_v3",
  "cohere_command",
  "gemma4",
  "minimax_m3",
] as const;
