import type { Engine } from "../engine.js";
import { ServedEngine } from "../servers/served-engine.js";
import type { VllmOptions } from "./vllm-options.js";
import { VllmServer } from "./vllm-server.js";

/** vLLM raises lower temperatures to this one, but for 0. */
const LOWEST_TEMPERATURE = 0.01;

/**
 * One or more vLLM servers, spoken to with token ids.
 *
 * Log probabilities are those that tokens were sampled with only if the servers run with
 * `--logprobs-mode processed_logprobs`; vLLM's default leaves temperature and penalties out. Each server is asked once
 * which of them it reports.
 *
 * @throws RangeError if an option is out of range, TypeError if an address is not a URL.
 */
export function createVllmEngine(options: VllmOptions): Engine {
  return new ServedEngine({ type: "vllm", effectiveTemperature }, options, (url) => new VllmServer(url, options));
}

function effectiveTemperature(temperature: number): number {
  return temperature > 0 ? Math.max(temperature, LOWEST_TEMPERATURE) : temperature;
}
