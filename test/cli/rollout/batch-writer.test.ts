import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BatchWriter, type BatchWriterOptions } from "../../../src/cli/rollout/batch-writer.js";
import { PartialBatch } from "../../../src/cli/rollout/partial-batch.js";
import { temporaryFolder } from "../rolltape.js";

const BATCH = new Uint8Array([1, 2, 3]);

/** Creates a writer of a file whose folder does not exist yet. */
function writerWith(changes: Partial<BatchWriterOptions> = {}) {
  const folder = temporaryFolder();
  const rescue = temporaryFolder();
  const missing = join(folder, "missing");
  const told: string[] = [];
  const job = new AbortController();
  const writer = new BatchWriter({
    waitSeconds: 60,
    rescueFolders: [join(folder, "none"), rescue],
    untilSaved: true,
    signal: job.signal,
    tell: (message) => told.push(message),
    pauseMilliseconds: 5,
    ...changes,
  });
  return { writer, file: join(missing, "batch.st"), missing, rescue, told, job };
}

describe("a batch that cannot be written", () => {
  it("is written when that becomes possible, and both events are reported once", async () => {
    const { writer, file, missing, rescue, told } = writerWith();
    const writing = writer.write(file, BATCH);
    await expect.poll(() => told).toEqual([expect.stringContaining(`${file} cannot be written: ENOENT`)]);
    expect(told[0]).toMatch(/kept in memory and tried again every two seconds for 60 s; free space in /);
    mkdirSync(missing);
    expect(await writing).toEqual({ file, failure: undefined });
    expect(told.slice(1)).toEqual([`${file} is written`]);
    expect(readdirSync(rescue)).toEqual([]);
  });

  it("is saved in the first rescue folder that accepts it when the time is over", async () => {
    const { writer, file, rescue } = writerWith({ waitSeconds: 0 });
    const saved = await writer.write(file, BATCH);
    expect(saved).toMatchObject({ failure: { file } });
    expect(saved.file).toMatch(/rolltape-batch-\w+\/batch\.st$/);
    expect(saved.file.startsWith(rescue)).toBe(true);
    expect(existsSync(saved.file)).toBe(true);
  });

  it("is saved there immediately when the job is stopped", async () => {
    const { writer, file, told, job } = writerWith({ waitSeconds: Infinity });
    const writing = writer.write(file, BATCH);
    await expect.poll(() => told).toHaveLength(1);
    job.abort();
    expect(await writing).toMatchObject({ failure: { file } });
  });

  it("fails if no folder accepts it and the proxy still has its sessions", async () => {
    const { writer, file } = writerWith({ waitSeconds: 0, rescueFolders: [], untilSaved: false });
    await expect(writer.write(file, BATCH)).rejects.toMatchObject({ name: "BatchWriteError", file });
  });

  it("is retried without a limit if no folder accepts it and the data exists nowhere else", async () => {
    const { writer, file, missing, told } = writerWith({ waitSeconds: 0, rescueFolders: [] });
    const writing = writer.write(file, BATCH);
    await expect.poll(() => told).toHaveLength(1);
    mkdirSync(missing);
    expect(await writing).toEqual({ file, failure: undefined });
  });

  it("is kept in memory and written elsewhere if its partial file cannot be renamed, which is removed", async () => {
    const { writer, file, missing, rescue } = writerWith({ waitSeconds: 0 });
    const other = join(temporaryFolder(), "batch.st");
    const partial = await PartialBatch.create(other, BATCH.length);
    await partial.append([BATCH.slice()]);
    const { file: saved } = await writer.write(file, partial);
    expect(saved.startsWith(rescue)).toBe(true);
    expect(readFileSync(saved)).toEqual(Buffer.from(BATCH));
    expect([existsSync(missing), existsSync(partial.path)]).toEqual([false, false]);
  });
});
