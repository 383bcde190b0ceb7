import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchSize } from "../sized.js";
import { type BenchResult, resultSchema } from "./result.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SUFFIX = ".json";

/** Results that are committed. The tables of the pages are written from them. */
export const COMMITTED = join(ROOT, "bench/results");

/** Results of the last runs. Git ignores them. A smoke run does not replace a measurement. */
export function outputFolder(size: BenchSize): string {
  return join(ROOT, size === "smoke" ? "out/bench/smoke" : "out/bench");
}

/** Writes a result into a folder. */
export function writeResult(result: BenchResult, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, result.bench + SUFFIX);
  writeFileSync(path, `${JSON.stringify(resultSchema.parse(result), null, 2)}\n`);
}

/** @throws Error that names the file, if it is missing or not a result */
export function readResult(folder: string, bench: string): BenchResult {
  const path = join(folder, bench + SUFFIX);
  if (!existsSync(path)) throw new Error(`${path} is missing.`);
  const { data, error } = resultSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (error) throw new Error(`${path} is not a result of a benchmark: ${error.message}`);
  if (data.bench !== bench) throw new Error(`${path} has the result of ${data.bench}.`);
  return data;
}

/** Returns all results of a folder, sorted by name. */
export function readResults(folder: string): BenchResult[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(SUFFIX)) : [];
  return names.sort().map((name) => readResult(folder, name.slice(0, -SUFFIX.length)));
}
