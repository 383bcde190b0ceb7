import { availableParallelism } from "node:os";
/** Returns the number of servers that `rolltape serve` runs: `auto` is one for each core that the process may use. */
export function countWorkers({ server: { workers } }, cores = availableParallelism()) {
    return workers === "auto" ? cores : workers;
}
//# sourceMappingURL=count-workers.js.map