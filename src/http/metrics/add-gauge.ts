import { Gauge, type Registry } from "prom-client";

/** Adds a gauge whose value is read at each scrape. */
export function addGauge(register: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [register], collect: () => gauge.set(read()) });
}
