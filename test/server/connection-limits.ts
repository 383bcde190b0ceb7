import { parseConfig, readConnectionLimits } from "../../src/config/index.js";
import type { ConnectionLimits } from "../../src/http/create-app.js";

/** Returns the default connection limits, with these overrides. */
export function connectionLimits(limits: Partial<ConnectionLimits>): ConnectionLimits {
  return { ...readConnectionLimits(parseConfig({})), ...limits };
}
