import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { markdownTable } from "../../test/helpers/markdown-table.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Prints what a bench measures: a line with the machine and the commit, then tables in Markdown. */
export class BenchReport {
  /** @param folder that the bench writes to, if its file system matters */
  constructor({ folder }: { readonly folder?: string } = {}) {
    console.log(`${describeMachine(folder)}; ${describeCommit()}\n`);
  }

  /** Prints measurements with references and targets. */
  addRows(rows: readonly Row[]): void {
    this.addTable(COLUMNS, rows.map(cellsOf));
  }

  addTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
    console.log(`${markdownTable(columns, rows)}\n`);
  }
}

/**
 * Runs the measurements that the command line names, or all, one after the other, and prints their rows as one table.
 *
 * @param folder that they write to, if its file system matters
 */
export async function runMeasurements(
  measurements: Readonly<Record<string, () => Promise<Row[]>>>,
  options: { readonly folder?: string } = {},
): Promise<void> {
  const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
  const unknown = chosen.find((name) => !(name in measurements));
  if (unknown !== undefined) throw new Error(`no measurement is named ${unknown}`);
  const report = new BenchReport(options);
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(measurements)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    process.stderr.write(`measuring ${name} …\n`);
    rows.push(...(await measure()));
  }
  report.addRows(rows);
}

function describeMachine(folder?: string): string {
  const cores = availableParallelism();
  return [
    cpus()[0]?.model.trim() ?? "unknown processor",
    `${cores} ${cores === 1 ? "core" : "cores"}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${type()} ${release()}`,
    `Node ${process.version}`,
    ...(folder === undefined ? [] : [describeFileSystem(folder)]),
  ].join(", ");
}

/** Returns type and device of the mount that has the folder: the longest mount point that begins its path. */
function describeFileSystem(folder: string): string {
  const path = `${realpathSync(folder)}/`;
  const mounts = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, point = ""]) => path.startsWith(point.endsWith("/") ? point : `${point}/`))
    // Of two mounts at one point, the later one is visible.
    .toSorted(([, a = ""], [, b = ""]) => a.length - b.length);
  const [device, , kind] = mounts.at(-1) ?? [];
  return kind === undefined ? "unknown file system" : `${kind} on ${device}`;
}

function describeCommit(): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  try {
    const changed = git("status", "--porcelain", "--", ".", ":(exclude)docs") !== "";
    return `commit ${git("rev-parse", "--short=8", "HEAD")}${changed ? " + changes" : ""}`;
  } catch {
    return "commit not recorded";
  }
}

/** One measurement. */
export interface Row {
  /** Name of the measurement. */
  readonly what: string;
  readonly measured: string;
  readonly reference: string;
  /** Undefined if the measurement has no target. */
  readonly verdict?: Verdict;
}

/** A measured value, often a ratio to the reference, and its target. */
export interface Verdict {
  readonly value: number;
  readonly target: number;
  readonly bound: "at least" | "at most";
  /** Unit of value and target, such as "x" (times), "%" or " ms". */
  readonly unit: string;
}

/** Returns the row of a measurement that this machine or this build does not support. */
export function skipped(what: string, why: string): Row {
  return { what, measured: why, reference: "" };
}

function met({ value, target, bound }: Verdict): boolean {
  return bound === "at least" ? value >= target : value <= target;
}

/** Passes rows to the parent process, which prints the table. Each row is a line of JSON. */
export function report(...rows: readonly Row[]): void {
  for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
}

const COLUMNS = ["measurement", "measured", "reference", "value", "target", "result"] as const;

/** Returns the texts of a row, in the order of {@link COLUMNS}. */
function cellsOf({ what, measured, reference, verdict }: Row): readonly string[] {
  if (!verdict) return [what, measured, reference, "", "", ""];
  const sign = verdict.bound === "at least" ? "≥" : "≤";
  // JSON has no NaN: on a busy machine, a smoke run can divide by a time that was too short to measure.
  const number = (value: number | null) =>
    value === null ? "not measured" : `${Number(value.toPrecision(3))}${verdict.unit}`;
  return [
    what,
    measured,
    reference,
    number(verdict.value),
    `${sign} ${number(verdict.target)}`,
    met(verdict) ? "met" : "not met",
  ];
}

export const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`;
export const gigabytesPerSecond = (bytes: number, seconds: number): string =>
  `${(bytes / seconds / 1e9).toFixed(2)} GB/s`;
