import { type Registry } from "prom-client";
/** Adds a gauge that is always 1 and has the running versions as labels. */
export declare function addBuildInfo(register: Registry, name: string): void;
