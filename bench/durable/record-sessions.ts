import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ensureTinyModel } from "../../src/engine/index.js";
import type { Recorded } from "./record-process.js";

export interface RecordPlan {
  readonly directory: string;
  /** Number of the first session. The folder has all before it. */
  readonly first?: number;
  readonly sessions: number;
  /** `storage.memory_bytes` */
  readonly memoryBytes: number;
}

/** Records sessions in a process of its own, and kills it when they are on disk. */
export async function recordSessions({ directory, first = 0, sessions, memoryBytes }: RecordPlan): Promise<Recorded> {
  const script = fileURLToPath(new URL("record-process.ts", import.meta.url));
  const { folder } = await ensureTinyModel();
  const args = [folder, directory, first, sessions, memoryBytes].map(String);
  const child = spawn(process.execPath, ["--import", "tsx", script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(child.stdout)) {
    child.kill("SIGKILL");
    await once(child, "exit");
    return JSON.parse(line) as Recorded;
  }
  throw new Error("the process that records sessions ended early");
}
