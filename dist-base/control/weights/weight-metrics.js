import { Counter } from "prom-client";
/** Metrics of weight updates. */
export class WeightMetrics {
    #updates;
    #pausedSeconds;
    /** @param prefix of the names, which differ between servers and gateways */
    constructor(registry, prefix) {
        const registers = [registry];
        this.#updates = new Counter({
            name: `${prefix}_weight_updates_total`,
            help: "Weight updates by outcome. Each failed attempt counts.",
            labelNames: ["outcome"],
            registers,
        });
        this.#pausedSeconds = new Counter({
            name: `${prefix}_weight_update_paused_seconds_total`,
            help: "Time for which weight updates have held model calls.",
            registers,
        });
        for (const outcome of ["succeeded", "failed", "given_up"])
            this.#updates.inc({ outcome }, 0);
    }
    /** @param pausedSeconds undefined while calls are still held */
    count(outcome, pausedSeconds) {
        this.#updates.inc({ outcome });
        if (pausedSeconds !== undefined)
            this.#pausedSeconds.inc(pausedSeconds);
    }
}
//# sourceMappingURL=weight-metrics.js.map