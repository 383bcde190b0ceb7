import type { Config } from "./schema/sections.js";

/** Returns the settings of the port for probes, of servers and gateways. */
export function readProbeSettings({ server: { host, probe_port: port, stall_seconds: stallSeconds } }: Config) {
  return { host, port, stallSeconds };
}
