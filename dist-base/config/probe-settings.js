/** Returns the settings of the port for probes, of servers and gateways. */
export function readProbeSettings({ server: { host, probe_port: port, stall_seconds: stallSeconds } }) {
    return { host, port, stallSeconds };
}
//# sourceMappingURL=probe-settings.js.map