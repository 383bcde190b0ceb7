/** The metrics of one process. */
export interface Scrape {
    /** The worker's tag; absent for the gateway itself, whose samples get no label. */
    readonly tag?: string;
    /** The metrics in Prometheus' text format. */
    readonly text: string;
}
/** Merges scrapes into one text. Each metric is described once, and its samples have the worker as a label. */
export declare function mergeMetrics(scrapes: readonly Scrape[]): string;
