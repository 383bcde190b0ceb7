import type { Row } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
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

const MEASUREMENTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  "added-time": addedTime,
  commits,
  throughput,
  recovery,
  memory,
};

const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const unknown = chosen.find((name) => !(name in MEASUREMENTS));
if (unknown !== undefined) throw new Error(`no measurement is named ${unknown}`);
const report = new BenchReport({ folder: STORAGE_PARENT });
const rows: Row[] = [];
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  rows.push(...(await measure()));
}
if (rows.length > 0) report.addRows(rows);
