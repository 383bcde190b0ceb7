import { z } from "zod";
import { baseUrl, optionalText, seconds } from "./values.js";

export const ENGINE_TYPES = ["embedded", "sglang", "vllm"] as const;
export type EngineType = (typeof ENGINE_TYPES)[number];

/** The inference engine that samples the tokens. */
export const engineSchema = z.strictObject({
  type: z
    .enum(ENGINE_TYPES)
    .default("embedded")
    .describe("`embedded` runs llama.cpp in this process; `sglang` and `vllm` call servers at `engine.urls`."),
  urls: z
    .array(baseUrl)
    .default([])
    .describe("Base addresses of the engine's servers. A session stays with one of them, for its prefix cache."),
  model: optionalText.describe(
    "The .gguf file that the embedded engine runs; null makes a tiny random one. Goes with `model.path`.",
  ),
  context_length: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Tokens of prompt and output together in one call; null asks the engine."),
  sequences: z.int().min(1).max(256).default(8).describe("Calls that the embedded engine runs at once."),
  timeout_seconds: seconds.default(3600).describe("Longest time of one generation; 0 sets no limit."),
  connections: z.int().min(1).max(65_535).default(256).describe("Connections kept to each of `engine.urls`."),
  health_seconds: z
    .number()
    .min(0)
    .max(3600)
    .default(10)
    .describe("How often each of several servers is asked whether it is healthy; 0 never asks."),
  served_model: optionalText.describe("Name under which the vLLM servers serve the model; null asks them."),
  vllm_api: z
    .enum(["auto", "generate", "completions"])
    .default("auto")
    .describe(
      "How vLLM is asked: through `/inference/v1/generate`, through `/v1/completions`, or (`auto`) through the first of them that a server has.",
    ),
  api_key: optionalText.describe("Key that the engine's servers ask for.").meta({ writeOnly: true }),
  admin_api_key: optionalText
    .describe(
      "Key for pausing, continuing and aborting on SGLang servers started with `--admin-api-key`; null sends `api_key`.",
    )
    .meta({ writeOnly: true }),
});
