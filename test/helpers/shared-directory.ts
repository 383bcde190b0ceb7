import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory in shared memory where there is one, gone after the test. */
export function sharedDirectory(): string {
  const directory = mkdtempSync(join(readdirSync("/dev").includes("shm") ? "/dev/shm" : tmpdir(), "test-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
