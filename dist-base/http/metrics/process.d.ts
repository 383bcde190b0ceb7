/** Returns the metrics of the process and of Node.js in Prometheus' text format. */
export declare function scrapeProcessMetrics(): Promise<string>;
