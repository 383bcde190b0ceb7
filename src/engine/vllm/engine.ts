import type { Engine } from "../engine.js";
import { ServedEngine } from "../servers/served-engine.js";
import type { VllmOptions } from "./options.js";
import { VllmServer } from "./server.js";

/**
 * One or more vLLM servers, spoken to with token ids.
 *
 * Log probabilities are those of `log_softmax(logits / temperature)` only where the servers run with
 * `--logprobs-mode processed_logprobs`; vLLM's default leaves the temperature out.
 *
 * @throws RangeError where an option is out of range, TypeError where an address is not a URL.
 */
export function createVllmEngine(options: VllmOptions): Engine {
  return new ServedEngine("vllm", options, (url) => new VllmServer(url, options));
}
