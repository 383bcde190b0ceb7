import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BatchFileSystem, writeBatchFile } from "../../../src/cli/rollout/batch-file.js";
import { temporaryFolder } from "../rolltape.js";

const BATCH = new Uint8Array(5000).fill(7);

/** Returns the disk functions, with those that a test replaces. Records the order of their calls. */
function diskThat(changes: Partial<BatchFileSystem> = {}) {
  const steps: string[] = [];
  const describePath = (path: string) => (/partial/.test(path) ? "partial" : path.endsWith(".st") ? "file" : "folder");
  const disk: BatchFileSystem = {
    statfs,
    open: async (path, flags) => {
      const file = await open(path, flags);
      return {
        writeFile: async (data) => {
          steps.push(`write ${describePath(path)}`);
          await file.writeFile(data);
        },
        sync: async () => {
          steps.push(`sync ${describePath(path)}`);
          await file.sync();
        },
        close: () => file.close(),
      };
    },
    rename: async (from, to) => {
      steps.push(`rename ${describePath(from)} to ${describePath(to)}`);
      await rename(from, to);
    },
    rm: (path) => rm(path, { force: true }),
    ...changes,
  };
  return { disk, steps };
}

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`${code}: no`), { code }));

/** Returns a file that opens, but whose step of this name fails. */
const openWith = (step: "writeFile" | "sync" | "close", code: string): BatchFileSystem["open"] => {
  return async (path, flags) => {
    const file = await open(path, flags);
    const own = {
      writeFile: (data: Uint8Array) => file.writeFile(data),
      sync: () => file.sync(),
      close: () => file.close(),
    };
    const fail = failing(code);
    return { ...own, [step]: step === "close" ? () => file.close().then(fail) : fail };
  };
};

describe("a batch file", () => {
  it("is synced before it is renamed, and its folder afterwards", async () => {
    const file = join(temporaryFolder(), "batch.st");
    const { disk, steps } = diskThat();
    await writeBatchFile(file, BATCH, disk);
    expect(steps).toEqual(["write partial", "sync partial", "rename partial to file", "sync folder"]);
    expect(readFileSync(file)).toEqual(Buffer.from(BATCH));
  });

  it("is not written if the disk has too little space; the error has both sizes", async () => {
    const folder = temporaryFolder();
    const { disk, steps } = diskThat({ statfs: async () => ({ blocks: 100, bavail: 2, bsize: 1024 }) });
    await expect(writeBatchFile(join(folder, "batch.st"), BATCH, disk)).rejects.toMatchObject({
      name: "BatchWriteError",
      message: `${folder}/batch.st cannot be written: it needs 4.9 KiB, but ${folder} has 2.0 KiB free`,
    });
    expect(steps).toEqual([]);
  });

  it("is written to a file system that does not know its size", async () => {
    const file = join(temporaryFolder(), "batch.st");
    const { disk } = diskThat({ statfs: async () => ({ blocks: 0, bavail: 0, bsize: 0 }) });
    await writeBatchFile(file, BATCH, disk);
    expect(existsSync(file)).toBe(true);
  });

  it("is written if folders cannot be synced", async () => {
    const file = join(temporaryFolder(), "batch.st");
    const { disk } = diskThat({
      open: (path, flags) => (flags === "r" ? openWith("sync", "EINVAL")(path, flags) : open(path, flags)),
    });
    await writeBatchFile(file, BATCH, disk);
    expect(existsSync(file)).toBe(true);
  });

  it.each([
    [
      "the disk becomes full while it is written",
      { open: openWith("writeFile", "ENOSPC") },
      "the disk is full (ENOSPC)",
    ],
    ["a quota is found at the sync", { open: openWith("sync", "EDQUOT") }, "the disk quota is used up (EDQUOT)"],
    ["the disk fails at the close", { open: openWith("close", "EIO") }, "EIO: no"],
    ["it cannot be renamed", { rename: failing("EACCES") }, "EACCES: no"],
  ])("leaves the earlier file and nothing else if %s", async (_, changes, reason) => {
    const folder = temporaryFolder();
    const file = join(folder, "batch.st");
    writeFileSync(file, "earlier");
    const { disk } = diskThat(changes);
    await expect(writeBatchFile(file, BATCH, disk)).rejects.toMatchObject({ file, reason });
    expect(readdirSync(folder)).toEqual(["batch.st"]);
    expect(readFileSync(file, "utf8")).toBe("earlier");
  });

  it("fails with the name of a folder that cannot be synced because it is not readable", async () => {
    const folder = temporaryFolder();
    const { disk } = diskThat({
      open: (path, flags) => (flags === "r" ? failing("EACCES")() : open(path, flags)),
    });
    await expect(writeBatchFile(join(folder, "batch.st"), BATCH, disk)).rejects.toThrow(
      `batch.st cannot be written: the folder ${folder} must be readable, because it is synced after a batch: EACCES: no`,
    );
  });

  it("fails with the name of a missing folder", async () => {
    const file = join(temporaryFolder(), "gone", "batch.st");
    await expect(writeBatchFile(file, BATCH)).rejects.toThrow(/gone\/batch\.st cannot be written: ENOENT/);
  });
});
