import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { turn, user } from "../helpers/turn.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const TRIM_INTERVAL_MS = 10_000;

const slotsIn = (directory: string): string[] => readdirSync(directory).filter((name) => name.endsWith(".slot"));

function storeIn(directory: string, unusedMilliseconds?: number): TrajectoryStore {
  const options = unusedMilliseconds === undefined ? {} : { unusedMilliseconds };
  const store = new TrajectoryStore({ sharedMemory: { directory, ...options } });
  for (const sessionId of ["s", "t"]) {
    const session = store.createSession({ sessionId });
    session.record(turn([user("a")], [1, 2], [3]));
    session.record(turn([user("b")], [1, 2], [3]));
    session.end();
  }
  return store;
}

describe("the shared memory of a store", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("is freed after its time without use", async () => {
    const directory = sharedDirectory();
    const store = storeIn(directory, 0);
    const kept = await store.exportBatch(["s"], { memory: "shared" });
    (await store.exportBatch(["t"], { memory: "shared" })).acknowledge();
    expect(slotsIn(directory)).toHaveLength(1);
    vi.advanceTimersByTime(TRIM_INTERVAL_MS);
    expect(slotsIn(directory)).toEqual([]);
    expect(existsSync(kept.path ?? "")).toBe(true);
    kept.acknowledge();
    vi.advanceTimersByTime(TRIM_INTERVAL_MS);
    expect(slotsIn(directory)).toEqual([]);
    store.close();
  });

  it("is kept for the next batch before that time", async () => {
    const directory = sharedDirectory();
    using store = storeIn(directory);
    (await store.exportBatch(["s"], { memory: "shared" })).acknowledge();
    vi.advanceTimersByTime(TRIM_INTERVAL_MS);
    expect(slotsIn(directory)).toHaveLength(1);
  });

  it("has a timer only from the first shared batch until the store is closed", async () => {
    const store = storeIn(sharedDirectory());
    await store.exportBatch(["s"]);
    expect(vi.getTimerCount()).toBe(0);
    await store.exportBatch(["t"], { memory: "shared", release: false });
    await store.exportBatch(["t"], { memory: "shared" });
    expect(vi.getTimerCount()).toBe(1);
    store.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not keep an unreachable store or its timer alive", async () => {
    const directory = sharedDirectory();
    const abandon = async (): Promise<void> => {
      (await storeIn(directory).exportBatch(["s"], { memory: "shared" })).acknowledge();
    };
    await abandon();
    for (let round = 0; round < 20 && slotsIn(directory).length > 0; round++) {
      collect();
      await nextTurn();
    }
    expect(slotsIn(directory)).toEqual([]);
    vi.advanceTimersByTime(TRIM_INTERVAL_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("an open store does not keep its process alive, and leaves no file", () => {
  const directory = sharedDirectory();
  const modules = ["../../src/session/trajectory-store.ts", "../helpers/turn.ts"];
  const [store, support] = modules.map((path) => JSON.stringify(new URL(path, import.meta.url).pathname));
  const program = `
    const { TrajectoryStore } = await import(${store});
    const { turn, user } = await import(${support});
    const store = new TrajectoryStore({ sharedMemory: { directory: ${JSON.stringify(directory)} } });
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1], [2]));
    session.end();
    const batch = await store.exportBatch(["s"], { memory: "shared" });
    console.log(batch.path);
    batch.acknowledge();`;
  const args = ["--import", "tsx", "--input-type=module", "-e", program];
  expect(execFileSync(process.execPath, args, { encoding: "utf8" })).toContain(directory);
  expect(readdirSync(directory)).toEqual([]);
});

describe("a closed store", () => {
  it("has removed its files, and existing batches stay valid", async () => {
    const directory = sharedDirectory();
    const store = storeIn(directory);
    (await store.exportBatch(["s"], { memory: "shared", release: false })).acknowledge();
    const shared = await store.exportBatch(["s"], { memory: "shared" });
    const heap = await store.exportBatch(["t"]);
    store.close();
    store.close();
    expect(slotsIn(directory)).toEqual([]);
    expect(existsSync(shared.path ?? "")).toBe(true);
    expect([...shared.tensors.input_ids.data]).toEqual([...heap.tensors.input_ids.data]);
    expect(shared.rows.map(({ sessionId }) => sessionId)).toEqual(["s", "s"]);
    shared.acknowledge();
    expect(readdirSync(directory).filter((name) => /\.(slot|safetensors)$/.test(name))).toEqual([]);
  });

  it("refuses to create, record and export", async () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    store[Symbol.dispose]();
    expect(() => session.record(turn([user("a")], [1], [2]))).toThrow(
      expect.objectContaining({ code: "session_ended" }),
    );
    expect(() => store.createSession({ sessionId: "t" })).toThrow(expect.objectContaining({ code: "store_closed" }));
    await expect(store.exportBatch(["s"])).rejects.toMatchObject({ code: "store_closed" });
    await expect(store.exportShards(["s"], { shards: 1 })).rejects.toMatchObject({ code: "store_closed" });
    store.release(["s"]);
  });

  it.each(["heap", "shared"] as const)(
    "completes a running export to %s memory, or fails it as a whole",
    async (memory) => {
      const store = storeIn(sharedDirectory());
      const exporting = store.exportShards(["s", "t"], { shards: 3, memory });
      store.close();
      const outcome = await exporting.then(
        (shards) => shards.flatMap(({ rows }) => rows).length,
        ({ code }: { code: string }) => code,
      );
      expect(outcome).toBe(memory === "heap" ? 4 : "ERR_RELEASED");
    },
  );
});
