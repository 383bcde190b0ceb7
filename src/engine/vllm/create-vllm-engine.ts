import type { Engine } from "../engine.js";
import { ServedEngine, type ServedEngineType } from "../servers/served-engine.js";
import type { VllmOptions } from "./vllm-options.js";
import { VllmServer } from "./vllm-server.js";

/** vLLM raises lower temperatures to this value, except 0. */
const LOWEST_TEMPERATURE = 0.01;

const VLLM: ServedEngineType = {
  type: "vllm",
  supports: { grammar: true, stopsWithoutEos: true, images: true },
  effectiveTemperature: (temperature) => (temperature > 0 ? Math.max(temperature, LOWEST_TEMPERATURE) : temperature),
};

/**
 * Creates an engine of one or more vLLM servers. Requests contain token ids.
 *
 * Log probabilities are those with which tokens were sampled only if the servers run with
 * `--logprobs-mode processed_logprobs`. vLLM's default does not include temperature and penalties. A probe finds out what
 * each server reports.
 *
 * @throws RangeError if an option is out of range, TypeError if an address is not a URL.
 */
export function createVllmEngine(options: VllmOptions): Engine {
  const recordsTokenIds = (options.tokenIdsLogprob ?? []).length > 0;
  // On the V1 model runner, a request for fixed tokens spoils the alternatives of the other requests in its batch.
  const type = recordsTokenIds ? { ...VLLM, supports: { ...VLLM.supports, topLogprobs: false } } : VLLM;
  return new ServedEngine(type, options, (url) => new VllmServer(url, options));
}
