import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Creates a directory, in shared memory if the machine has it. It is removed after the test. */
export function sharedDirectory(): string {
  const directory = mkdtempSync(join(readdirSync("/dev").includes("shm") ? "/dev/shm" : tmpdir(), "test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
