import type { Engine } from "../engine.js";
import { ServedEngine } from "../servers/served-engine.js";
import type { SglangOptions } from "./options.js";
import { SglangServer } from "./server.js";

/**
 * One or more SGLang servers, spoken to through `/generate` with token ids.
 *
 * @throws RangeError where an option is out of range, TypeError where an address is not a URL.
 */
export function createSglangEngine(options: SglangOptions): Engine {
  const { connections, apiKey } = options;
  return new ServedEngine("sglang", options, (url) => new SglangServer(url, connections, apiKey));
}
