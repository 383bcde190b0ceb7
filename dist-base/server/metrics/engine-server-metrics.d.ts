import { type Registry } from "prom-client";
import type { Engine } from "../../engine/engine.js";
/** Adds the metrics of an engine. An engine that runs in this process counts as one server with the name of its type. */
export declare function observeEngine(engine: Pick<Engine, "type" | "servers" | "load">, register: Registry): void;
