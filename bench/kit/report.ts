import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { availableParallelism, cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { markdownTable } from "../../test/helpers/markdown-table.js";
import { COLUMNS, cellsOf, type Row } from "../export/row.js";

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
