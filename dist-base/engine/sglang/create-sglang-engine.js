import { ServedEngine } from "../servers/served-engine.js";
import { SglangServer } from "./sglang-server.js";
/** SGLang samples greedily below this temperature. */
const GREEDY_BELOW = 1e-6;
const SGLANG = {
    type: "sglang",
    // With `ignore_eos`, SGLang ignores `stop_token_ids` too.
    supports: { grammar: true, stopsWithoutEos: false },
    effectiveTemperature: (temperature) => (temperature < GREEDY_BELOW ? 0 : temperature),
};
/**
 * Creates an engine of one or more SGLang servers. Requests go to `/generate` and contain token ids.
 *
 * @throws RangeError if an option is out of range, TypeError if an address is not a URL.
 */
export function createSglangEngine(options) {
    return new ServedEngine(SGLANG, options, (url) => new SglangServer(url, options));
}
//# sourceMappingURL=create-sglang-engine.js.map