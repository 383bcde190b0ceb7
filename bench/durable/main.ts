import { runMeasurements } from "../kit/report.js";
import { addedTime } from "./rows/added-time.js";
import { commits } from "./rows/commits.js";
import { memory } from "./rows/memory.js";
import { recovery } from "./rows/recovery.js";
import { throughput } from "./rows/throughput.js";
import { STORAGE_PARENT } from "./storage-folder.js";

/**
 * What storage costs: time of a call, throughput, restart, disk and memory. Exit status 0 whatever the ratios.
 *
 *   npm run bench:durable [-- name… --directory=PATH]
 */

await runMeasurements({ "added-time": addedTime, commits, throughput, recovery, memory }, { folder: STORAGE_PARENT });
