import type { Engine } from "../engine.js";
import type { VllmOptions } from "./vllm-options.js";
/**
 * Creates an engine of one or more vLLM servers. Requests contain token ids.
 *
 * Log probabilities are those with which tokens were sampled only if the servers run with
 * `--logprobs-mode processed_logprobs`. vLLM's default does not include temperature and penalties. A probe finds out what
 * each server reports.
 *
 * @throws RangeError if an option is out of range, TypeError if an address is not a URL.
 */
export declare function createVllmEngine(options: VllmOptions): Engine;
