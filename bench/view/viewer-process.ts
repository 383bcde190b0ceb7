import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sized } from "../sized.js";
import type { RunSize } from "./generate-run.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export const LARGE_RUN: RunSize = {
  episodes: sized(10_000, 40),
  turns: sized(64, 8),
  episodesPerBatch: sized(64, 8),
  shards: 2,
  tokens: [24, 16],
};

/** Starts `rolltape view`. */
export function startViewer(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, "view", ...args], { stdio: ["ignore", "pipe", "ignore"] });
}

/** Returns the address that a viewer prints. */
export async function readAddress({ stdout }: ChildProcess): Promise<string> {
  if (stdout) for await (const line of createInterface(stdout)) return line;
  throw new Error("rolltape view ended without an address");
}

/** Returns the current and the highest resident memory of a process, in MB. */
export function readMemory({ pid }: ChildProcess): readonly [now: number, peak: number] {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1000;
  return [read("VmRSS"), read("VmHWM")];
}
