// Tokens at which the models of published templates stop, by name. All others stop at <|im_end|>.
const STOPS: readonly (readonly [stops: readonly string[], models: readonly string[]])[] = [
  [["<|assistant_end|>", "<|tools_suffix|>"], ["Apertus-8B-Instruct"]],
  [["<|end|>"], ["Apriel-1.6-15b-Thinker-fixed", "unsloth-Apriel-1.5", "microsoft-Phi-3.5-mini-instruct"]],
  [["<seed:eos>"], ["ByteDance-Seed-OSS"]],
  [
    ["<|END_OF_TURN_TOKEN|>"],
    ["Cohere2MoE", "CohereForAI-c4ai-command-r-plus-tool_use", "CohereForAI-c4ai-command-r7b-12-2024-tool_use"],
  ],
  [["<|endoftext|>", "<|user|>", "<|observation|>"], ["GLM-4.6"]],
  [["<|message_sep|>"], ["GigaChat3.1-10B-A1.8B"]],
  [["<|end_of_msg|>"], ["Kimi-K3"]],
  [["<end_of_sentence>"], ["MiniMax-M1"]],
  [["[e~["], ["MiniMax-M2", "MiniMax-M3"]],
  [["<SPECIAL_12>"], ["NVIDIA-Nemotron-Nano-v2"]],
  [["<sep>"], ["Reka-Edge"]],
  [
    ["<｜end▁of▁sentence｜>"],
    [
      "deepseek-ai-DeepSeek-R1-Distill-Llama-8B",
      "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B",
      "deepseek-ai-DeepSeek-V3.1",
      "deepseek-ai-DeepSeek-V4",
      "deepseek-ai-DeepSeek-V4-Flash-0731",
      "llama-cpp-deepseek-r1",
    ],
  ],
  [["<end_of_turn>"], ["google-gemma-2-2b-it"]],
  [["<turn|>", "<|tool_response>"], ["google-gemma-4-31B-it"]],
  [["<|end_of_text|>"], ["ibm-granite-granite-3.3-2B-Instruct", "ibm-granite-granite-4.0"]],
  [["<|role_end|>"], ["inclusionai-ling-3.0-flash"]],
  [["<EOS>"], ["llama-cpp-rwkv-world"]],
  [
    ["<|eot_id|>", "<|eom_id|>"],
    [
      "meetkai-functionary-medium-v3.1",
      "meetkai-functionary-medium-v3.2",
      "meta-llama-Llama-3.1-8B-Instruct",
      "meta-llama-Llama-3.3-70B-Instruct",
    ],
  ],
  [["<EOS>"], ["mistralai-Ministral-3-14B-Reasoning-2512", "mistralai-Mistral-Nemo-Instruct-2407"]],
  [["<|return|>", "<|call|>"], ["openai-gpt-oss-120b"]],
  [["</assistant>"], ["poolside-Laguna-S-2.1", "poolside-Laguna-XS-2.1"]],
  [["<｜hy_eos:opensource｜>"], ["tencent-Hy3"]],
];

export const publishedStops = (name: string): readonly string[] =>
  STOPS.find(([, models]) => models.includes(name))?.[0] ?? ["<|im_end|>"];
