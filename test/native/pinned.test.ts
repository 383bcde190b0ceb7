import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { native } from "../../src/native/addon.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { turn, user } from "../helpers/turn.js";
import { buildFakeCuda, canFake, DRIVER_FUNCTIONS, type FakeCuda, loadFakeCuda, withoutFunction } from "./fake-cuda.js";
import { listFiles, packed } from "./memory-support.js";
import { type Attempt, LOAD, PinnedWorker } from "./pinned-worker.js";
import { expectCode } from "./support.js";

const OUT_OF_MEMORY = 2;
const FAILURE = 3;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

describe.runIf(canFake)("pinned memory of a driver", () => {
  let folder: string;
  let cuda: FakeCuda;

  beforeAll(() => {
    folder = buildFakeCuda();
    cuda = loadFakeCuda(folder);
    return () => rmSync(folder, { recursive: true });
  });

  /** Makes a function of the driver fail until the test ends. */
  function fail(name: string, result: number): void {
    cuda.fail(name, result);
    onTestFinished(() => cuda.fail(name, 0));
  }

  function endedStore(): TrajectoryStore {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1, 2], [3]));
    session.end();
    return store;
  }

  it("is opened once and holds the same bytes as the heap", async () => {
    expect(native.pinnedMemory()).toEqual({ available: true });
    const store = endedStore();
    const heap = await store.exportBatch(["s"], { release: false });
    const pinned = await store.exportBatch(["s"], { memory: "pinned" });
    expect(pinned.memory).toBe("pinned");
    expect(Buffer.compare(pinned.bytes, heap.bytes)).toBe(0);
    expect(cuda.use()).toEqual({ contexts: 1, allocated: 1, registered: 0, threadsInContext: 0 });
    pinned.release();
    pinned.release();
    expect(cuda.use().allocated).toBe(0);
  });

  it("is freed when its batch is garbage-collected", async () => {
    const abandon = async (): Promise<void> => void (await packed(100, 7, "pinned")).bytes;
    await abandon();
    expect(cuda.use().allocated).toBe(1);
    for (let round = 0; round < 20 && cuda.use().allocated > 0; round++) {
      collect();
      await nextTurn();
    }
    expect(cuda.use().allocated).toBe(0);
  });

  it("is kept for reuse if it is large", async () => {
    (await packed(100_000, 7, "pinned")).release();
    expect(cuda.use().allocated).toBe(1);
    const again = await packed(100_000, 9, "pinned");
    expect(cuda.use().allocated).toBe(1);
    expect(Buffer.compare(again.bytes, (await packed(100_000, 9, "heap")).bytes)).toBe(0);
  });

  it.each([
    ["cuMemHostAlloc", OUT_OF_MEMORY, "ERR_OUT_OF_MEMORY", "cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY"],
    ["cuMemHostAlloc", FAILURE, "ERR_PINNED_UNAVAILABLE", "cuMemHostAlloc: CUDA_ERROR_OF_THE_TEST"],
    ["cuCtxPushCurrent", FAILURE, "ERR_PINNED_UNAVAILABLE", "cuCtxPushCurrent: CUDA_ERROR_OF_THE_TEST"],
  ])("fails if %s returns %i, and the sessions can still be exported", async (name, result, code, message) => {
    const store = endedStore();
    const before = cuda.use();
    fail(name, result);
    await expect(store.exportBatch(["s"], { memory: "pinned" })).rejects.toMatchObject({ code, message });
    expect(cuda.use()).toEqual(before);
    cuda.fail(name, 0);
    using batch = await store.exportBatch(["s"], { memory: "pinned" });
    expect(batch.rows).toHaveLength(1);
  });

  it("fails with the number of an error that the driver cannot name", async () => {
    fail("cuMemHostAlloc", FAILURE);
    fail("cuGetErrorName", FAILURE);
    await expect(packed(3, 7, "pinned")).rejects.toMatchObject({ message: "cuMemHostAlloc: CUDA error 3" });
  });

  it("is lost if it cannot be freed, without other effects", async () => {
    const before = cuda.use().allocated;
    fail("cuMemFreeHost", FAILURE);
    const batch = await packed(3, 7, "pinned");
    batch.release();
    expectCode("ERR_RELEASED", () => batch.bytes);
    expect(cuda.use().allocated).toBe(before + 1);
    cuda.fail("cuMemFreeHost", 0);
    (await packed(3, 7, "pinned")).release();
    expect(cuda.use().allocated).toBe(before + 1);
  });

  it("works if a context cannot be popped", async () => {
    const before = cuda.use().allocated;
    fail("cuCtxPopCurrent", FAILURE);
    for (let round = 0; round < 3; round++) (await packed(3, 7, "pinned")).release();
    expect(cuda.use().allocated).toBe(before);
  });

  describe("in shared files", () => {
    const open = (directory: string) => new native.SharedPool({ directory, maxBytes: 64_000_000, pinned: true });

    it("locks every slot once per size", async () => {
      const pool = open(sharedDirectory());
      for (const tokens of [1000, 1000, 200_000, 150_000]) {
        const batch = await packed(tokens, 7, pool);
        expect(Buffer.compare(batch.bytes, (await packed(tokens, 7, "heap")).bytes)).toBe(0);
        expect(cuda.use().registered).toBe(1);
        batch.acknowledge();
      }
      pool.close();
      await expect.poll(() => cuda.use().registered).toBe(0);
    });

    it.each([
      ["cuMemHostRegister", OUT_OF_MEMORY, "ERR_OUT_OF_MEMORY"],
      ["cuMemHostRegister", FAILURE, "ERR_PINNED_UNAVAILABLE"],
      ["cuCtxPushCurrent", FAILURE, "ERR_PINNED_UNAVAILABLE"],
    ])("fails without leaving a file if %s returns %i", async (name, result, code) => {
      const directory = sharedDirectory();
      const pool = open(directory);
      fail(name, result);
      const refused = { code, message: expect.stringContaining(`${name}: CUDA_ERROR_`) as string };
      await expect(packed(3, 7, pool)).rejects.toMatchObject(refused);
      expect(pool.use).toEqual({ bytes: 0, freeSlots: 0, lentSlots: 0 });
      expect(listFiles(directory, ".slot")).toEqual([]);
      cuda.fail(name, 0);
      (await packed(3, 7, pool)).release();
      pool.close();
    });

    it("goes on if a slot cannot be unlocked", async () => {
      const directory = sharedDirectory();
      const pool = open(directory);
      (await packed(1000, 7, pool)).acknowledge();
      fail("cuMemHostUnregister", FAILURE);
      const refused = { code: "ERR_PINNED_UNAVAILABLE", message: expect.stringContaining("page lock") as string };
      await expect(packed(200_000, 7, pool)).rejects.toMatchObject(refused);
      expect(listFiles(directory, ".slot")).toEqual([]);
      const batch = await packed(200_000, 7, pool);
      batch.release();
      pool.close();
      expect(listFiles(directory, "")).toHaveLength(1);
    });
  });

  describe("that does not start", () => {
    it.each([
      ["cuInit", "cuInit: CUDA_ERROR_OF_THE_TEST"],
      ["cuDeviceGetCount", "cuDeviceGetCount: CUDA_ERROR_OF_THE_TEST"],
      ["devices", "the CUDA driver sees no device"],
      ["cuDeviceGet", "cuDeviceGet: CUDA_ERROR_OF_THE_TEST"],
      ["cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain: CUDA_ERROR_OF_THE_TEST"],
    ])("remembers the reason if %s fails", async (name, reason) => {
      const worker = new PinnedWorker();
      fail(name, FAILURE);
      const refused = { reason, code: "ERR_PINNED_UNAVAILABLE", message: expect.stringContaining(reason) as string };
      expect(await worker.attempt()).toEqual(refused);
      cuda.fail(name, 0);
      expect(await worker.attempt()).toEqual(refused);
    });

    it("is tried again if the device was full", async () => {
      const worker = new PinnedWorker();
      fail("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY);
      const reason = "cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY";
      const refused = { reason, code: "ERR_OUT_OF_MEMORY", message: expect.stringContaining(reason) as string };
      expect(await worker.attempt()).toEqual(refused);
      cuda.fail("cuDevicePrimaryCtxRetain", 0);
      expect(await worker.attempt()).toEqual({ reason: undefined, memory: "pinned" });
    });

    it.each(DRIVER_FUNCTIONS)("reports that %s is missing", (name) => {
      const program = `${LOAD} attempt().then((answer) => console.log(JSON.stringify(answer)));`;
      const env = { ...process.env, LD_LIBRARY_PATH: withoutFunction(folder, name) };
      const answer = JSON.parse(execFileSync(process.execPath, ["-e", program], { env, encoding: "utf8" })) as Attempt;
      expect(answer).toMatchObject({ code: "ERR_PINNED_UNAVAILABLE" });
      expect(answer.reason).toMatch(new RegExp(`libcuda.so.1: undefined symbol: ${name}$`));
    });
  });

  it("belongs to one worker thread, and is freed when the thread ends", async () => {
    const before = cuda.use();
    const workers = Array.from({ length: 4 }, () => new PinnedWorker());
    const attempts = await Promise.all(workers.flatMap((worker) => [worker.attempt(), worker.attempt()]));
    expect(new Set(attempts.map(({ memory }) => memory))).toEqual(new Set(["pinned"]));
    expect(cuda.use().contexts).toBe(before.contexts + workers.length);
    await Promise.all(workers.map((worker) => worker.end()));
    await expect.poll(() => cuda.use()).toEqual({ ...before, threadsInContext: expect.any(Number) as number });
  });

  it("ends with its worker thread even if the context cannot be released", async () => {
    fail("cuDevicePrimaryCtxRelease", FAILURE);
    const worker = new PinnedWorker();
    expect(await worker.attempt()).toMatchObject({ memory: "pinned" });
    await worker.end();
    expect(native.pinnedMemory()).toEqual({ available: true });
    (await packed(3, 7, "pinned")).release();
  });
});
