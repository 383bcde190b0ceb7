import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { DISK } from "../../../src/cli/rollout/batch-file.js";
import { PartialBatch, type PartialFile, type PartialFileSystem } from "../../../src/cli/rollout/partial-batch.js";
import { type BatchContent, receiveBatch } from "../../../src/cli/rollout/receive-batch.js";
import type { ArrivingBatch } from "../../../src/client/admin-client.js";
import { encodeHeader } from "../../../src/support/safetensors/write-header.js";
import { temporaryFolder } from "../rolltape.js";

const [CHUNK_BYTES, DATA_BYTES] = [1 << 16, 9 << 20];
const BATCH = Buffer.concat([
  encodeHeader([{ name: "rewards", dtype: "BOOL", shape: [DATA_BYTES] }], {}),
  Buffer.alloc(DATA_BYTES, 7),
]);

/** Returns the batch in chunks of their own memory, as they arrive from a socket. */
function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, i) => new Uint8Array(bytes.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES)));
}

const arriving = (bytes: Uint8Array, byteLength: number | undefined = bytes.length): ArrivingBatch => ({
  byteLength,
  body: Readable.from(chunksOf(bytes), { objectMode: false }),
});

function failing(code: string) {
  return Promise.reject(Object.assign(new Error(`${code}: no`), { code }));
}

/** Returns the disk, with files whose operations a test replaces. */
function diskWith(change: (file: FileHandle) => Partial<PartialFile>): PartialFileSystem {
  const openPartial = async (path: string) => {
    const file = await open(path, "w+");
    const own: PartialFile = {
      writev: (chunks, position) => file.writev(chunks, position),
      read: file.read.bind(file),
      sync: () => file.sync(),
      close: () => file.close(),
    };
    return { ...own, ...change(file) };
  };
  return { ...DISK, openPartial };
}

function target() {
  const folder = temporaryFolder();
  return { folder, file: join(folder, "batch.st") };
}

async function commit(content: BatchContent, file: string): Promise<void> {
  if (!(content instanceof PartialBatch)) throw new Error("the batch is in memory");
  await content.commit(file);
}

describe("a batch that arrives", () => {
  it.each([
    ["known", BATCH.length],
    ["unknown", undefined],
  ])("is written to a partial file and renamed, if its size is %s", async (_, size) => {
    const { folder, file } = target();
    const content = await receiveBatch({ ...arriving(BATCH), byteLength: size }, { file });
    expect(readdirSync(folder)).toEqual([`batch.st.partial-${process.pid}`]);
    await commit(content, file);
    expect(readdirSync(folder)).toEqual(["batch.st"]);
    expect(readFileSync(file).equals(BATCH)).toBe(true);
  });

  it("leaves no chunk in memory", async () => {
    const { file } = target();
    const chunks = chunksOf(BATCH);
    const body = Readable.from(chunks, { objectMode: false });
    await receiveBatch({ byteLength: BATCH.length, body }, { file });
    expect(chunks.map(({ byteLength }) => byteLength)).toEqual(chunks.map(() => 0));
  });

  it("leaves no file and the earlier batch if the connection breaks in the middle", async () => {
    const { folder, file } = target();
    writeFileSync(file, "earlier");
    const body = new PassThrough();
    // As the connection pool does.
    body.on("error", () => {});
    for (const chunk of chunksOf(BATCH).slice(0, 80)) body.write(chunk);
    const receiving = receiveBatch({ byteLength: BATCH.length, body }, { file });
    await expect.poll(() => readdirSync(folder)).toHaveLength(2);
    body.destroy(new Error("ECONNRESET"));
    await expect(receiving).rejects.toThrow("ECONNRESET");
    expect(readdirSync(folder)).toEqual(["batch.st"]);
    expect(readFileSync(file, "utf8")).toBe("earlier");
  });

  it.each([
    ["shorter", BATCH.subarray(0, -5)],
    ["longer", Buffer.concat([BATCH, Buffer.alloc(5)])],
  ])("leaves no file if it is %s than announced", async (_, bytes) => {
    const { folder, file } = target();
    const expected = `${bytes.length} of ${BATCH.length} bytes arrived`;
    await expect(receiveBatch(arriving(bytes, BATCH.length), { file })).rejects.toThrow(expected);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["its tensors are cut", BATCH.subarray(0, -5)],
    ["it is not a safetensors file", Buffer.alloc(5000, "<html>")],
    ["it is empty", Buffer.alloc(0)],
  ])("leaves no file and fails with invalid_reply if %s", async (_, bytes) => {
    const { folder, file } = target();
    const wanted = { code: "invalid_reply", message: expect.stringContaining("that are not a batch: ") };
    await expect(receiveBatch(arriving(bytes), { file })).rejects.toMatchObject(wanted);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("a batch that the disk does not accept", () => {
  it.each<[string, PartialFileSystem]>([
    ["too little space", { ...diskWith(() => ({})), statfs: async () => ({ blocks: 9, bavail: 9, bsize: 1 }) }],
    ["no permission", { ...diskWith(() => ({})), openPartial: () => failing("EACCES") }],
  ])("is received into memory: %s", async (_, disk) => {
    const { folder, file } = target();
    const content = await receiveBatch(arriving(BATCH), { file }, disk);
    expect(BATCH.equals(content as Uint8Array)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([0, 1, 2])(
    "is received into memory, with what was written, if the disk is full after %i writes",
    async (count) => {
      const { folder, file } = target();
      let writes = 0;
      const disk = diskWith((handle) => ({
        writev: (chunks, position) => (writes++ < count ? handle.writev(chunks, position) : failing("ENOSPC")),
      }));
      const content = await receiveBatch(arriving(BATCH), { file }, disk);
      expect(BATCH.equals(content as Uint8Array)).toBe(true);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it("is complete if writes take only a part of the bytes", async () => {
    const { file } = target();
    const disk = diskWith((handle) => ({
      writev: async (chunks, position) => {
        const all = Buffer.concat(chunks);
        const { bytesWritten } = await handle.write(all, 0, Math.min(all.length, 100_001), position);
        return { bytesWritten };
      },
    }));
    await commit(await receiveBatch(arriving(BATCH), { file }, disk), file);
    expect(readFileSync(file).equals(BATCH)).toBe(true);
  });

  it.each([
    ["all bytes", 99],
    ["a part of the bytes", 1],
  ])("is requested again and received into memory if the sync of %s fails", async (_, accepted) => {
    const { folder, file } = target();
    let writes = 0;
    const disk = diskWith((handle) => ({
      writev: (chunks, position) => (writes++ < accepted ? handle.writev(chunks, position) : failing("ENOSPC")),
      sync: () => failing("EDQUOT"),
    }));
    const goal = { file };
    await expect(receiveBatch(arriving(BATCH), goal, disk)).rejects.toThrow("EDQUOT");
    expect(readdirSync(folder)).toEqual([]);
    const content = await receiveBatch(arriving(BATCH), goal, disk);
    expect(BATCH.equals(content as Uint8Array)).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("can still be read if it cannot be renamed", async () => {
    const { folder, file } = target();
    const disk: PartialFileSystem = { ...diskWith(() => ({})), rename: () => failing("EACCES") };
    const content = (await receiveBatch(arriving(BATCH), { file }, disk)) as PartialBatch;
    await expect(content.commit(file)).rejects.toMatchObject({ file });
    expect(BATCH.equals(await content.readBack())).toBe(true);
    await content.discard();
    expect(readdirSync(folder)).toEqual([]);
  });
});
