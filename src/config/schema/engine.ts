import { z } from "zod";
import { usedBy } from "./used-by.js";
import { baseUrl, nullableText, seconds } from "./values.js";

export const ENGINE_TYPES = ["embedded", "sglang", "vllm"] as const;

/** vLLM's and SGLang's own limits are higher or can be set. */
const MAX_TOP_LOGPROBS = 256;

/** Each generation has a connection of its own. */
export const MAX_INFLIGHT = 65_535;

/** The inference engine that samples the tokens. */
export const engineSchema = z.strictObject({
  type: z
    .enum(ENGINE_TYPES)
    .default("embedded")
    .describe("`embedded` runs llama.cpp in this process; `sglang` and `vllm` call servers at `engine.urls`."),
  urls: z
    .array(baseUrl)
    .default([])
    .describe("Base URLs of the engine servers. A session stays on one of them to reuse its prefix cache.")
    .meta(usedBy("proxy", "running engines")),
  model: nullableText.describe(
    "The .gguf file that the embedded engine runs; requires `model.path`. Null: a tiny random model.",
  ),
  context_length: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Maximum tokens of prompt and output together in one call. Null: ask the engine."),
  sequences: z.int().min(1).max(256).default(8).describe("Maximum number of concurrent calls on the embedded engine."),
  timeout_seconds: seconds
    .default(3600)
    .describe(
      "Maximum seconds of one call on the engine. The wait for a place on the engine does not count. 0 sets no limit.",
    ),
  max_inflight: z
    .int()
    .min(1)
    .max(MAX_INFLIGHT)
    .default(1024)
    .describe(
      "Maximum number of generations that run at once on each engine server. Further calls wait, and sessions take turns.",
    ),
  routed_experts: z
    .boolean()
    .default(false)
    .describe(
      "Record the experts that each token went through, as the channel `routed_experts` of batches. Requires SGLang or vLLM servers that return them, and the `config.json` of a mixture-of-experts model in `model.path`.",
    )
    .meta(usedBy("proxy", "running engines")),
  sampling_masks: z
    .boolean()
    .default(false)
    .describe(
      "Record the ids that each token was sampled from, after top-k, top-p and min-p, as the channel `kept_ids` of batches. Requires SGLang, or vLLM servers started with `--return-sampling-mask`.",
    )
    .meta(usedBy("proxy", "running engines")),
  max_kept_tokens: z
    .int()
    .min(1)
    .max(65_536)
    .default(512)
    .describe(
      "Longest sampling mask that is recorded, in ids. On SGLang, calls that truncate need a `top_k` of at most this.",
    )
    .meta(usedBy("proxy", "running engines")),
  top_logprobs: z
    .int()
    .min(0)
    .max(MAX_TOP_LOGPROBS)
    .default(0)
    .describe(
      "Record this number of alternatives of each sampled token, as the channels `top_ids` and `top_logprobs` of batches. vLLM servers need `--max-logprobs` one above it. 0 records none.",
    ),
  token_ids_logprob: z
    .array(z.int32().min(0))
    .max(64)
    .refine((ids) => new Set(ids).size === ids.length, "must be unique")
    .default([])
    .describe(
      "Token ids whose log probabilities are recorded at the position of each sampled token, as the channel `token_ids_logprobs` of batches. Requires SGLang or vLLM servers. vLLM servers need `--max-logprobs` above their number, and return no alternatives then.",
    )
    .meta(usedBy("proxy", "running engines")),
  served_model: nullableText.describe("Name of the model on the vLLM servers. Null: ask them."),
  api_key: nullableText.describe("API key of the engine servers.").meta({ writeOnly: true }),
  admin_api_key: nullableText
    .describe(
      "Admin key of SGLang servers started with `--admin-api-key`, for pausing, continuing, aborting and weight updates. Null: `api_key`.",
    )
    .meta({ writeOnly: true }),
});
