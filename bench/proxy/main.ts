import type { Row } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
import { firstTurns } from "./rows/first-turns.js";
import { growing } from "./rows/growing.js";
import { openStreams } from "./rows/open-streams.js";
import { throughput } from "./rows/throughput.js";

/**
 * Measures the cost of the proxy, compared with a proxy that only forwards bytes. Engine, proxies and this load generator share the
 * machine's processors. The exit status does not depend on the times.
 *
 *   npm run bench:proxy [-- name…]
 */

const MEASUREMENTS: Readonly<Record<string, () => Promise<Row[]>>> = {
  throughput,
  "first-turns": firstTurns,
  growing,
  "open-streams": openStreams,
};

const chosen = process.argv.slice(2);
const report = new BenchReport();
const rows: Row[] = [];
for (const [name, measure] of Object.entries(MEASUREMENTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  rows.push(...(await measure()));
}
report.addRows(rows);
