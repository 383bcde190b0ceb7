/** A family of the differential run, with a template whose model belongs to it. */
export interface DifferentialFamily {
  /** The value of `tool_call_parser`. */
  readonly name: string;
  /** The name of a published template, or of one in templates.ts. */
  readonly template: string;
  readonly templateArgs?: Readonly<Record<string, unknown>>;
  /** The template shows one call in an answer, and text beside it as reasoning. */
  readonly oneCall?: boolean;
  /** The template shows no text beside calls, or shows it elsewhere. */
  readonly callsAlone?: boolean;
  /** The template sorts the members of arguments. */
  readonly sortsKeys?: boolean;
  /** The template writes nested values without their type, so the schemas of the tools must have it. */
  readonly typed?: boolean;
  /** Prompts begin the reasoning, or the template writes none after its prompts. By default, some answers have reasoning. */
  readonly reasons?: "always" | "never";
}

/** At least one entry for each family. */
export const DIFFERENTIAL_FAMILIES: readonly DifferentialFamily[] = [
  { name: "hermes", template: "Qwen-Qwen3-0.6B" },
  { name: "qwen3_coder", template: "Qwen3-Coder" },
  { name: "llama3_json", template: "meta-llama-Llama-3.1-8B-Instruct", oneCall: true },
  { name: "deepseek_v31", template: "deepseek-ai-DeepSeek-V3.1" },
  { name: "deepseek_v4", template: "deepseek-ai-DeepSeek-V4" },
  { name: "kimi_k2", template: "moonshotai-Kimi-K2" },
  { name: "kimi_k3", template: "Kimi-K3" },
  { name: "glm45", template: "GLM-4.6" },
  { name: "mistral", template: "mistralai-Ministral-3-14B-Reasoning-2512" },
  { name: "minimax_m2", template: "MiniMax-M2", reasons: "always" },
  { name: "seed_oss", template: "ByteDance-Seed-OSS" },
  { name: "gpt_oss", template: "openai-gpt-oss-120b", oneCall: true },
  { name: "hy_v3", template: "tencent-Hy3", reasons: "never" },
  { name: "apertus", template: "Apertus-8B-Instruct", reasons: "never" },
  { name: "gigachat3", template: "GigaChat3.1-10B-A1.8B", oneCall: true, reasons: "never" },
  { name: "lfm2", template: "LFM2.5-8B-A1B" },
  { name: "cohere_command", template: "Cohere2MoE", reasons: "always" },
  {
    name: "gemma4",
    template: "google-gemma-4-31B-it",
    templateArgs: { enable_thinking: true },
    callsAlone: true,
    sortsKeys: true,
  },
  { name: "minimax_m3", template: "MiniMax-M3", typed: true },
  { name: "hunyuan_a13b", template: "unsloth-Apriel-1.5", reasons: "never" },
  { name: "hunyuan_a13b", template: "Hunyuan-A13B", reasons: "never" },
  { name: "nemotron_nano_v2", template: "Nemotron-Nano-v2 with reasoning", reasons: "always" },
  { name: "olmo3", template: "Olmo 3", reasons: "never" },
  { name: "phi4_mini", template: "Phi-4-mini with tokens", reasons: "never" },
  { name: "phi4_mini", template: "Phi-4-mini with a word", reasons: "never" },
  { name: "hy_v3_preview", template: "Hy3-preview", reasons: "never" },
  { name: "pythonic", template: "Llama 4", callsAlone: true, reasons: "never" },
  { name: "deepseek_v3", template: "DeepSeek-V3", reasons: "never" },
  { name: "deepseek_v32", template: "DeepSeek-V3.2", reasons: "always" },
];
