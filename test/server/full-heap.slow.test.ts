import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

interface Outcome {
  readonly recorded: number;
  readonly exported: number;
  readonly refused: { readonly sessions: number; readonly calls: number };
  readonly afterwards: number;
}

it("refuses sessions and calls while the heap is full, exports everything, and then accepts calls again", {
  timeout: 300_000,
}, async () => {
  const program = new URL("full-heap.ts", import.meta.url).pathname;
  const args = ["--max-old-space-size=128", "--import", "tsx", program];
  // A crash of V8 rejects here.
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { recorded, exported, refused, afterwards } = JSON.parse(stdout) as Outcome;
  expect(refused.sessions).toBeGreaterThan(0);
  expect(refused.calls).toBeGreaterThan(0);
  expect(recorded).toBeGreaterThan(100);
  expect(exported).toBe(recorded);
  expect(afterwards).toBe(200);
});
