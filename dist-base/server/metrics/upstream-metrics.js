import { Counter, Histogram } from "prom-client";
const BUCKETS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];
/** Counts calls to upstreams, and calls that the configuration refuses. */
export class UpstreamMetrics {
    #calls;
    #seconds;
    constructor(register) {
        const registers = [register];
        this.#calls = new Counter({
            name: "rolltape_upstream_calls_total",
            help: "Calls to upstreams, by the models of the `upstreams` entry and by outcome.",
            labelNames: ["models", "outcome"],
            registers,
        });
        this.#seconds = new Histogram({
            name: "rolltape_upstream_seconds",
            help: "Time in seconds from the start of a call to an upstream until its answer is sent.",
            labelNames: ["models"],
            buckets: BUCKETS,
            registers,
        });
    }
    /** @param models the names and patterns of the entry. They are in the configuration, so their number is bounded. */
    count(models, outcome) {
        this.#calls.inc({ models: models.join(", "), outcome });
    }
    /** @returns a function that ends the measurement */
    startTimer(models) {
        const stop = this.#seconds.startTimer({ models: models.join(", ") });
        return () => void stop();
    }
}
//# sourceMappingURL=upstream-metrics.js.map