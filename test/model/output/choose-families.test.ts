import { describe, expect, it } from "vitest";
import { chooseFamilies, type FamilyChoice } from "../../../src/model/output/choose-families.js";
import { publishedModels, publishedTemplate } from "../support/golden.js";

function choose(
  template: string,
  choice: FamilyChoice = {},
  added: readonly string[] = [],
  modelType?: string,
): string {
  const signs = { template, modelType, isAdded: (spelling: string) => added.includes(spelling) };
  const { tools, reasoning } = chooseFamilies(choice, signs);
  return `${tools} ${reasoning}`;
}

describe("chooseFamilies", () => {
  it("returns the configured families", () => {
    const named = { toolCallParser: "mistral", reasoningParser: "deepseek_r1" } as const;
    expect(choose("<tool_call> <think>", named)).toBe("mistral deepseek_r1");
    expect(choose("[TOOL_CALLS] [THINK]", { toolCallParser: "none", reasoningParser: "none" })).toBe("none none");
  });

  it("detects families by the template, then by model_type", () => {
    expect(choose("")).toBe("none none");
    expect(choose("{{ messages }}", {}, [], "glm4_moe")).toBe("glm45 none");
    expect(choose("[TOOL_CALLS]", {}, [], "glm4_moe")).toBe("mistral none");
    expect(choose("", { toolCallParser: "auto" }, [], "unheard_of")).toBe("none none");
  });

  it.each([
    ["Llama 3.2", "[func_name1(params_name1=params_value1)]", "pythonic none"],
    ["Llama 4", "<|header_start|> [func_name1(param1=value1, param2=value2), func_name2(...)]", "pythonic none"],
    ["Olmo 3", "<functions></functions> <function_calls></function_calls>", "olmo3 none"],
    ["Olmo 3 Think", "<function_calls> {{ '<|im_start|>assistant\\n<think>' }}", "olmo3 deepseek_v3"],
    ["Hunyuan-A13B", '<tool_calls>[{"name": "f"}]</tool_calls> <think>\n\n</think>', "hunyuan_a13b hunyuan_a13b"],
    ["Phi-4-mini, as Microsoft publishes it", "'<|tool|>' + message['tools'] + '<|/tool|>'", "phi4_mini none"],
    ["Phi-4-mini, as engines serve it", 'functools[{"name": [function name]}]', "phi4_mini none"],
    ["Tencent Hy3", "set suffix = ':opensource' '<think{}>' '<tool_sep{}>'", "hy_v3 hy_v3"],
    ["Tencent Hy3-preview", "<think></think> <tool_calls> <tool_sep> <arg_key>", "hy_v3_preview deepseek_v3"],
  ])("detects the families of %s", (_, template, families) => {
    expect(choose(template)).toBe(families);
  });

  it("detects Hy3-preview by its vocabulary, if the template appends an empty suffix", () => {
    const template = "set suffix = '' '<think{}>' '<tool_sep{}>' '<arg_key{}>'";
    expect(choose(template, {}, ["<think>", "</think>"])).toBe("hy_v3_preview deepseek_v3");
  });

  it("detects reasoning markers in the vocabulary", () => {
    expect(choose('<tool_call>{"name": 1, "arguments": 2}', {}, ["<think>", "</think>"])).toBe("hermes qwen3");
    expect(choose("", {}, ["[THINK]", "[/THINK]"])).toBe("none mistral");
  });
});

const PUBLISHED: Record<string, string> = {
  "Apertus-8B-Instruct": "apertus apertus",
  "Apriel-1.6-15b-Thinker-fixed": "hunyuan_a13b none",
  "ByteDance-Seed-OSS": "seed_oss seed_oss",
  Cohere2MoE: "cohere_command cohere_command",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "cohere_command cohere_command",
  "GLM-4.6": "glm45 glm45",
  "GigaChat3.1-10B-A1.8B": "gigachat3 none",
  "Kimi-K3": "kimi_k3 kimi_k3",
  "Kimi-K2-Instruct": "kimi_k2 none",
  "LFM2-8B-A1B": "lfm2 none",
  "LFM2.5-8B-A1B": "lfm2 qwen3",
  "LFM2.5-Instruct": "lfm2 qwen3",
  "MiMo-VL": "hermes none",
  "MiniMax-M2": "minimax_m2 deepseek_v3",
  "MiniMax-M3": "minimax_m3 minimax_m3",
  "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": "qwen3_coder qwen3",
  "NVIDIA-Nemotron-Nano-v2": "nemotron_nano_v2 deepseek_v3",
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use": "hermes none",
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use": "hermes none",
  "Qwen-QwQ-32B": "hermes qwen3",
  "Qwen-Qwen2.5-7B-Instruct": "hermes none",
  "Qwen-Qwen3-0.6B": "hermes qwen3",
  "Qwen3-Coder": "qwen3_coder none",
  "Qwen3.5-4B": "qwen3_coder qwen3",
  "Reka-Edge": "hermes qwen3",
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": "deepseek_v3 deepseek_v3",
  "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "deepseek_v3 deepseek_v3",
  "llama-cpp-deepseek-r1": "deepseek_v3 deepseek_v3",
  "deepseek-ai-DeepSeek-V3.1": "deepseek_v31 deepseek_v3",
  "deepseek-ai-DeepSeek-V4": "deepseek_v4 deepseek_v3",
  "deepseek-ai-DeepSeek-V4-Flash-0731": "deepseek_v4 deepseek_v3",
  "fireworks-ai-llama-3-firefunction-v2": "phi4_mini none",
  "google-gemma-4-31B-it": "gemma4 gemma4",
  "ibm-granite-granite-3.3-2B-Instruct": "none deepseek_v3",
  "ibm-granite-granite-4.0": "hermes none",
  "inclusionai-ling-3.0-flash": "glm45 glm45",
  "llama-cpp-rwkv-world": "none deepseek_v3",
  "meta-llama-Llama-3.1-8B-Instruct": "llama3_json none",
  "meta-llama-Llama-3.3-70B-Instruct": "llama3_json none",
  "mistralai-Ministral-3-14B-Reasoning-2512": "mistral mistral",
  "mistralai-Mistral-Nemo-Instruct-2407": "mistral none",
  "moonshotai-Kimi-K2": "kimi_k2 none",
  "openai-gpt-oss-120b": "gpt_oss gpt_oss",
  "openbmb-MiniCPM5-1B": "none deepseek_v3",
  "poolside-Laguna-S-2.1": "glm45 glm45",
  "poolside-Laguna-XS-2.1": "glm45 glm45",
  "tencent-Hy3": "hy_v3 hy_v3",
  "unsloth-Apriel-1.5": "hunyuan_a13b none",
};

describe("chooseFamilies with a published template", () => {
  it.each(publishedModels)("detects the families of %s", (name) => {
    expect(choose(publishedTemplate(name))).toBe(PUBLISHED[name] ?? "none none");
  });
});
