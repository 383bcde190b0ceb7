/** A family of the differential run: a published template whose model belongs to it. */
export interface DifferentialFamily {
  /** The value of `tool_call_parser`. */
  readonly name: string;
  readonly template: string;
  /** The template shows one call in an answer, and text beside it as reasoning. */
  readonly oneCall?: boolean;
  /** Prompts begin the reasoning, or the template writes none after its prompts. By default, some answers have reasoning. */
  readonly reasons?: "always" | "never";
}

/** One entry for each family that has a template among the published ones. */
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
];

const NO_TEMPLATE = "its own template is not among those of the tests";

/** Families of calls that the run leaves out, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  deepseek_v3: "no published template among those of the tests writes its calls before the results",
  deepseek_v32: "its prompts are written by a Python program, not by a template",
  pythonic: "its templates show calls in another format than the model writes",
  gemma4: "its template writes no answer of the run behind its prompt",
  hunyuan_a13b:
    "the published template (Apriel 1.5) ends each answer with a line break, which is read as part of the answer",
  hy_v3_preview: NO_TEMPLATE,
  minimax_m3: "nested values without a schema are written as text, so numbers and texts look alike",
  nemotron_nano_v2: "its prompts begin reasoning, which its template leaves out of answers",
  olmo3: NO_TEMPLATE,
  phi4_mini: NO_TEMPLATE,
};
