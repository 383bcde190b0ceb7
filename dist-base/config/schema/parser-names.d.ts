/** Families of tool calls. */
export declare const TOOL_CALL_PARSERS: readonly ["hermes", "qwen3_coder", "llama3_json", "pythonic", "deepseek_v3", "deepseek_v31", "deepseek_v32", "deepseek_v4", "kimi_k2", "kimi_k3", "glm45", "mistral", "minimax_m2", "seed_oss", "gpt_oss", "hy_v3", "apertus", "gigachat3", "hunyuan_a13b", "hy_v3_preview", "nemotron_nano_v2", "olmo3", "phi4_mini", "cohere_command", "gemma4", "lfm2", "minimax_m3"];
/** Families of reasoning. */
export declare const REASONING_PARSERS: readonly ["deepseek_r1", "deepseek_v3", "qwen3", "glm45", "kimi_k2", "kimi_k3", "kimi", "mistral", "seed_oss", "gpt_oss", "hy_v3", "apertus", "hunyuan_a13b", "cohere_command", "gemma4", "minimax_m3"];
