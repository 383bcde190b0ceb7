import type { Engine } from "../engine.js";
import type { SglangOptions } from "./sglang-options.js";
/**
 * Creates an engine of one or more SGLang servers. Requests go to `/generate` and contain token ids.
 *
 * @throws RangeError if an option is out of range, TypeError if an address is not a URL.
 */
export declare function createSglangEngine(options: SglangOptions): Engine;
