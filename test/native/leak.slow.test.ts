import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** A cycle uses about 100 KB. Leaking all of it, or only its tokens, would exceed this limit by far. */
const MOST_GROWTH = 24_000_000;

it("creating, exporting and releasing 10,000 sessions leaks no memory", {
  timeout: 180_000,
}, async () => {
  const program = new URL("leak-cycles.ts", import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", "--import", "tsx", program]);
  const resident = JSON.parse(stdout) as number[];
  expect(resident).toHaveLength(10);
  // The first tenths warm the allocator and the garbage collector.
  const [, , third = 0, ...later] = resident;
  expect(Math.min(...later.slice(-3)) - third).toBeLessThan(MOST_GROWTH);
});
