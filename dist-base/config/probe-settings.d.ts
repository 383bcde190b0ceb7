import type { Config } from "./schema/sections.js";
/** Returns the settings of the port for probes, of servers and gateways. */
export declare function readProbeSettings({ server: { host, probe_port: port, stall_seconds: stallSeconds } }: Config): {
    host: string;
    port: number | null;
    stallSeconds: number;
};
