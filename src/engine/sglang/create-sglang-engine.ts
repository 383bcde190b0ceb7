import { isTruncated } from "../../facts/sampling.js";
import type { Engine, SamplingParams, SamplingRefusal } from "../engine.js";
import { ServedEngine, type ServedEngineType } from "../servers/served-engine.js";
import type { SglangOptions } from "./sglang-options.js";
import { SglangServer } from "./sglang-server.js";

/** SGLang samples greedily below this temperature. */
const GREEDY_BELOW = 1e-6;

const SGLANG: ServedEngineType = {
  type: "sglang",
  // With `ignore_eos`, SGLang ignores `stop_token_ids` too.
  supports: { grammar: true, stopsWithoutEos: false, images: true },
  // With `top_k: 1` SGLang divides by the temperature only if another request of the batch does not sample greedily.
  effectiveTemperature: (temperature, topK) => (temperature < GREEDY_BELOW || topK === 1 ? 0 : temperature),
};

/**
 * Creates an engine of one or more SGLang servers. Requests go to `/generate` and contain token ids.
 *
 * @throws RangeError if an option is out of range, TypeError if an address is not a URL.
 */
export function createSglangEngine(options: SglangOptions): Engine {
  const { maxKeptTokens } = options;
  const refuseSampling: Engine["refuseSampling"] = (sampling, without) =>
    maxKeptTokens === undefined || without?.includes("kept_ids")
      ? undefined
      : refuseWithoutMask(sampling, maxKeptTokens);
  return new ServedEngine({ ...SGLANG, refuseSampling }, options, (url) => new SglangServer(url, options));
}

/** SGLang returns the masks of calls with a finite top-k alone. Adding one to a call would change what is sampled. */
function refuseWithoutMask(sampling: SamplingParams, maxKeptTokens: number): SamplingRefusal | undefined {
  const { topK } = sampling;
  if (!isTruncated(sampling) || (topK > 0 && topK <= maxKeptTokens)) return undefined;
  const message =
    `top_k must be between 1 and ${maxKeptTokens} (engine.max_kept_tokens) in calls with top_k, top_p or min_p, because SGLang ` +
    `returns no other sampling masks (engine.sampling_masks); received ${topK === 0 ? "no top_k" : topK}.`;
  return { param: "top_k", message };
}
