import { type Registry } from "prom-client";
/** Adds a gauge whose value is read at each scrape. */
export declare function addGauge(register: Registry, name: string, help: string, read: () => number): void;
