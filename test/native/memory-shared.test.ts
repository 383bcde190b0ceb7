import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import type { NativeBatch } from "../../src/native/contract.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { listFiles, packed, sharedPool } from "./memory-support.js";
import { expectCode, withAny } from "./support.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function requirePath(batch: NativeBatch): string {
  if (batch.path === undefined) throw new Error("the batch has no path");
  return batch.path;
}

describe("a shared batch", () => {
  it("has exactly the bytes of its file", async () => {
    const directory = sharedDirectory();
    const batch = await packed(1000, 7, sharedPool(directory));
    const path = requirePath(batch);
    expect(batch.memory).toBe("shared");
    expect(path.startsWith(`${directory}/rolltape-${process.pid}-`)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path).equals(batch.bytes)).toBe(true);
    expect(batch.byteLength).toBe(statSync(path).size);
  });

  it("aligns its tensors to 64 bytes if the length of rows is a multiple of 16", async () => {
    const batch = await packed(1023, 7, sharedPool(sharedDirectory()));
    const perToken = batch.tensors.filter(({ shape, dtype }) => shape.length === 2 && dtype !== "BOOL");
    expect(perToken.length).toBeGreaterThan(3);
    for (const { byteOffset } of perToken) expect(byteOffset % 64).toBe(0);
  });

  it("gives its slot to a later batch under another path after the acknowledgement", async () => {
    const pool = sharedPool(sharedDirectory());
    const first = await packed(1000, 7, pool);
    const path = requirePath(first);
    const { ino } = statSync(path);
    first.acknowledge();
    expect(existsSync(path)).toBe(false);
    expect(pool.use).toMatchObject({ freeSlots: 1, lentSlots: 0 });
    const second = await packed(900, 9, pool);
    expect(statSync(requirePath(second)).ino).toBe(ino);
    expect(second.path).not.toBe(path);
    expect(readFileSync(requirePath(second)).equals((await packed(900, 9, "heap")).bytes)).toBe(true);
  });

  it("is unlinked if it is released without an acknowledgement", async () => {
    const directory = sharedDirectory();
    const pool = sharedPool(directory);
    const batch = await packed(1000, 7, pool);
    const { bytes } = batch;
    batch.release();
    expect(bytes.byteLength).toBe(0);
    expect(listFiles(directory, ".safetensors")).toEqual([]);
    expect(pool.use).toEqual({ bytes: 0, freeSlots: 0, lentSlots: 0 });
  });

  it("belongs to its reader once the reader has unlinked or linked it", async () => {
    const directory = sharedDirectory();
    const pool = sharedPool(directory);
    const unlinked = await packed(1000, 7, pool);
    rmSync(requirePath(unlinked));
    const linked = await packed(1000, 7, pool);
    const kept = join(directory, "kept");
    linkSync(requirePath(linked), kept);
    const before = readFileSync(kept);
    for (const batch of [unlinked, linked]) {
      expect(batch.taken).toBe(true);
      batch.acknowledge();
    }
    expect(pool.use.freeSlots).toBe(0);
    await packed(1000, 9, pool);
    expect(readFileSync(kept).equals(before)).toBe(true);
  });

  it("is unlinked when it is garbage-collected", async () => {
    const directory = sharedDirectory();
    const pool = sharedPool(directory);
    const lose = async (): Promise<void> => {
      await packed(1000, 7, pool);
    };
    await lose();
    for (let round = 0; round < 50 && pool.use.lentSlots > 0; round++) {
      collect();
      await nextTurn();
    }
    expect(listFiles(directory, ".safetensors")).toEqual([]);
  });
});

describe("a shared pool", () => {
  it("fails with ERR_SHARED_FULL if unacknowledged batches fill it", async () => {
    const pool = sharedPool(sharedDirectory(), 100_000);
    const batch = await packed(4000, 7, pool);
    await expect(packed(4000, 7, pool)).rejects.toMatchObject({ code: "ERR_SHARED_FULL" });
    await expect(packed(10_000, 7, pool)).rejects.toMatchObject({ code: "ERR_TOO_LARGE" });
    batch.acknowledge();
    await packed(4000, 7, pool);
  });

  it("reserves slots before the first batch, and removes unused ones", async () => {
    const directory = sharedDirectory();
    const pool = sharedPool(directory);
    await pool.reserve(1_000_000);
    expect(pool.use).toMatchObject({ freeSlots: 1 });
    expect(pool.use.bytes).toBeGreaterThanOrEqual(1_000_000);
    pool.trim(3_600_000);
    expect(pool.use.freeSlots).toBe(1);
    pool.trim(0);
    expect(pool.use).toEqual({ bytes: 0, freeSlots: 0, lentSlots: 0 });
    expect(listFiles(directory, ".slot")).toEqual([]);
    await expect(pool.reserve(2 ** 32)).rejects.toMatchObject({ code: "ERR_TOO_LARGE" });
  });

  it("gives no block after it is closed, and still accepts the release of existing batches", async () => {
    const directory = sharedDirectory();
    const pool = sharedPool(directory);
    const batch = await packed(1000, 7, pool);
    pool.close();
    pool.close();
    await expect(packed(1000, 7, pool)).rejects.toMatchObject({ code: "ERR_RELEASED" });
    expect(existsSync(requirePath(batch))).toBe(true);
    batch.acknowledge();
    expect(listFiles(directory, ".slot")).toEqual([]);
  });

  it("refuses invalid options by name", () => {
    const make = (options: unknown) => () => new native.SharedPool(withAny(options));
    expectCode("ERR_INVALID_ARG", make(undefined), "options");
    expectCode("ERR_INVALID_ARG", make({ directory: 1, maxBytes: 1 }), "directory");
    expectCode("ERR_INVALID_ARG", make({ directory: "here", maxBytes: 1 }), "absolute");
    expectCode("ERR_INVALID_ARG", make({ directory: "/dev/shm", maxBytes: 0 }), "maxBytes");
    expectCode("ERR_INVALID_ARG", make({ directory: "/dev/shm", maxBytes: 1, pinned: 1 }), "pinned");
    expectCode("ERR_SHARED_UNAVAILABLE", make({ directory: "/dev/none-here", maxBytes: 1 }));
  });

  it("leaves no file when its process exits, and removes the files of a killed process", () => {
    const directory = sharedDirectory();
    const addon =
      process.env["ROLLTAPE_ADDON_PATH"] ?? new URL("../../build/Release/rolltape.node", import.meta.url).pathname;
    const run = (end: string): string[] => {
      const program = `
        const native = require(${JSON.stringify(addon)});
        const pool = new native.SharedPool({ directory: ${JSON.stringify(directory)}, maxBytes: 1e7 });
        const plan = native.planBatch([], { style: "individual", discount: 1, onMismatch: "error", padTokenId: 0,
          padSide: "right", padToMultipleOf: 1, maxLength: 0, overflow: "error" });
        pool.reserve(1e5).then(() => plan.pack({}, { memory: pool })).then((batch) => { globalThis.kept = batch; ${end} });
      `;
      try {
        execFileSync(process.execPath, ["-e", program], { stdio: "pipe" });
      } catch (error) {
        if ((error as { signal?: string }).signal !== "SIGKILL") throw error;
      }
      return listFiles(directory, "");
    };
    expect(run("process.exit(0)")).toEqual([]);
    expect(run("")).toEqual([]);
    expect(run('process.kill(process.pid, "SIGKILL")').length).toBeGreaterThanOrEqual(2);
    mkdirSync(join(directory, "other"));
    writeFileSync(join(directory, "other.safetensors"), "");
    sharedPool(directory).close();
    const left = listFiles(directory, "").filter((name) => !name.startsWith(`rolltape-${process.pid}-`));
    expect(left.toSorted()).toEqual(["other", "other.safetensors"]);
  });
});
