import type { Config } from "../../config/index.js";
/** Returns the number of servers that `rolltape serve` runs: `auto` is one for each core that the process may use. */
export declare function countWorkers({ server: { workers } }: Config, cores?: number): number;
