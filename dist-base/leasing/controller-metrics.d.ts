import { Registry } from "prom-client";
import type { ControllerContext } from "./context.js";
/** The controller's Prometheus metrics. */
export declare class ControllerMetrics {
    readonly registry: Registry<"text/plain; version=0.0.4; charset=utf-8">;
    constructor({ tasks, remover, readJob }: ControllerContext);
    scrape(): Promise<string>;
}
