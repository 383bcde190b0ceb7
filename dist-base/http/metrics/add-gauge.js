import { Gauge } from "prom-client";
/** Adds a gauge whose value is read at each scrape. */
export function addGauge(register, name, help, read) {
    const gauge = new Gauge({ name, help, registers: [register], collect: () => gauge.set(read()) });
}
//# sourceMappingURL=add-gauge.js.map