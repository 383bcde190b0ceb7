import { type Registry } from "prom-client";
/**
 * - `answered`: the upstream's answer was sent completely.
 * - `error`: the upstream answered with an error, which was sent completely.
 * - `unavailable`: the upstream sent no answer, or an incomplete one.
 * - `aborted`: the client disconnected, or the server stopped.
 * - `refused`: the configuration refuses the model.
 */
export type UpstreamOutcome = "answered" | "error" | "unavailable" | "aborted" | "refused";
/** Counts calls to upstreams, and calls that the configuration refuses. */
export declare class UpstreamMetrics {
    #private;
    constructor(register: Registry);
    /** @param models the names and patterns of the entry. They are in the configuration, so their number is bounded. */
    count(models: readonly string[], outcome: UpstreamOutcome): void;
    /** @returns a function that ends the measurement */
    startTimer(models: readonly string[]): () => void;
}
