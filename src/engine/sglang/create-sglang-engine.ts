import type { Engine } from "../engine.js";
import { ServedEngine, type ServedEngineType } from "../servers/served-engine.js";
import type { SglangOptions } from "./sglang-options.js";
import { SglangServer } from "./sglang-server.js";

/** SGLang samples greedily below this temperature. */
const GREEDY_BELOW = 1e-6;

const SGLANG: ServedEngineType = {
  type: "sglang",
  // With `ignore_eos`, SGLang ignores `stop_token_ids` too.
  supports: { grammar: true, stopsWithoutEos: false },
  // With `top_k: 1` SGLang divides by the temperature only if another request of the batch does not sample greedily.
  effectiveTemperature: (temperature, topK) => (temperature < GREEDY_BELOW || topK === 1 ? 0 : temperature),
};

/**
 * Creates an engine of one or more SGLang servers. Requests go to `/generate` and contain token ids.
 *
 * @throws RangeError if an option is out of range, TypeError if an address is not a URL.
 */
export function createSglangEngine(options: SglangOptions): Engine {
  return new ServedEngine(SGLANG, options, (url) => new SglangServer(url, options));
}
