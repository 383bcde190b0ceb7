import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createHeap, type Heap, HeapWatch } from "../../src/server/limits/heap-watch.js";

const LIMIT = 1000;

/** A heap with given readings. Collecting moves on to the next reading. */
function scripted(...readings: readonly number[]): Heap & { collections: number } {
  return {
    collections: 0,
    read() {
      return { used: readings[this.collections] ?? 0, limit: LIMIT };
    },
    collect() {
      this.collections++;
    },
  };
}

const nothing = () => false;

describe("a heap that is watched", () => {
  it("does not exceed its current use, and collects no garbage to find out", () => {
    const heap = scripted(500);
    expect(new HeapWatch(heap).exceeds(500, nothing)).toBe(false);
    expect(heap.collections).toBe(0);
  });

  it("does not exceed a limit if collecting garbage frees enough", () => {
    const heap = scripted(900, 400);
    expect(new HeapWatch(heap).exceeds(500, nothing)).toBe(false);
    expect(heap.collections).toBe(1);
  });

  it("does not exceed a limit if releasing objects frees enough", () => {
    const heap = scripted(900, 800, 400);
    expect(new HeapWatch(heap).exceeds(500, () => true)).toBe(false);
    expect(heap.collections).toBe(2);
  });

  it("exceeds the limit if nothing can be released, and collects only once for many checks", () => {
    const heap = scripted(900, 800);
    const watch = new HeapWatch(heap);
    for (let question = 0; question < 100; question++) expect(watch.exceeds(500, nothing)).toBe(true);
    expect(heap.collections).toBe(1);
  });
});

it("removes garbage from the heap of this process by collecting", () => {
  const heap = createHeap();
  const { used, limit } = heap.read();
  expect(used).toBeLessThan(limit);
  let garbage: number[][] = Array.from({ length: 100 }, () => Array.from({ length: 10_000 }, (_, i) => i));
  const withGarbage = heap.read().used;
  expect(garbage).toHaveLength(100);
  garbage = [];
  heap.collect();
  expect(heap.read().used).toBeLessThan(withGarbage);
});

const MEBIBYTE = 1024 ** 2;

/** Returns the limit that a process with these options reads, in MiB. */
function readLimit(options: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const module = new URL("../../src/server/limits/heap-watch.ts", import.meta.url);
  const script = `import { createHeap } from ${JSON.stringify(module.href)}; console.log(createHeap().read().limit);`;
  const args = [...options, "--import", "tsx", "--input-type=module", "--eval", script];
  const output = execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: "utf8" });
  return Number(output) / MEBIBYTE;
}

describe("the limit of the heap of this process", () => {
  it("is that of old objects, without the young generation", () => {
    expect(readLimit(["--max-old-space-size=512"])).toBe(512);
  });

  it("leaves out a young generation whose size the command line or the environment sets", () => {
    expect(readLimit(["--max-old-space-size=512", "--max-semi-space-size=24"])).toBe(512);
    expect(readLimit(["--max-old-space-size=512"], { NODE_OPTIONS: "--max-semi-space-size=8" })).toBe(512);
  });
});
