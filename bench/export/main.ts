import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { BenchReport, type Row } from "../kit/report.js";

/**
 * Compares the export with memcpy, PyTorch, JavaScript and a bare Node server. Each measurement runs in a separate process, so that
 * it does not inherit the heap of another. The exit status is 1 if outputs differ or a program fails, and 0 whatever the times are.
 *
 *   npm run bench:export [-- name…]
 */

interface Measurement {
  readonly name: string;
  readonly args?: readonly string[];
}

const MEASUREMENTS: readonly Measurement[] = [
  { name: "pack" },
  { name: "pack-threads" },
  { name: "whole-export" },
  { name: "memory-kinds" },
  { name: "http-body" },
  { name: "shared-memory" },
  { name: "worker-shards" },
  ...["native", "held", "uncollected", "text", "all"].map((row) => ({ name: "session-memory", args: [row] })),
  { name: "server-memory" },
  { name: "loop-delay" },
  { name: "many-rows" },
];

async function run({ name, args = [] }: Measurement): Promise<{ rows: Row[]; failed: boolean }> {
  const script = new URL(`rows/${name}.ts`, import.meta.url).pathname;
  const node = ["--expose-gc", "--import", "tsx", script, ...args];
  const stdio = ["ignore", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, node, { stdio: [...stdio] });
  const ended = once(child, "exit") as Promise<[number | null]>;
  const rows: Row[] = [];
  for await (const line of createInterface(child.stdout)) rows.push(JSON.parse(line) as Row);
  const [code] = await ended;
  return { rows, failed: code !== 0 };
}

const chosen = process.argv.slice(2);
const report = new BenchReport();
const rows: Row[] = [];
for (const measurement of MEASUREMENTS) {
  if (chosen.length > 0 && !chosen.includes(measurement.name)) continue;
  process.stderr.write(`measuring ${[measurement.name, ...(measurement.args ?? [])].join(" ")} …\n`);
  const result = await run(measurement);
  rows.push(...result.rows);
  if (result.failed) {
    rows.push({ what: measurement.name, measured: "failed, see above", reference: "" });
    process.exitCode = 1;
  }
}
report.addRows(rows);
