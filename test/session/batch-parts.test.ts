import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Batch } from "../../src/session/batch/batch.js";
import { BatchParts } from "../../src/session/batch/batch-parts.js";
import { createDeferred } from "../../src/support/async/deferred.js";
import { until } from "../helpers/until.js";

const MIB = 1 << 20;

/** Bytes that differ at every position where parts could be mixed up. */
const BYTES = Buffer.alloc(40 * MIB);
for (let at = 0; at < BYTES.length; at += 4) BYTES.writeUInt32LE(at, at);

/** A batch whose parts have memory of their own, so that a part that is detached too early is missing. */
class WrittenBatch {
  readonly byteLength = BYTES.length;
  writtenBytes: number;
  onWritten: (() => void) | undefined;
  /** Where the last part ends that was created. */
  sent = 0;

  constructor(writtenBytes: number) {
    this.writtenBytes = writtenBytes;
  }

  part(from: number, to: number): Uint8Array {
    if (to > this.writtenBytes) throw new RangeError(`the bytes from ${this.writtenBytes} on are not written`);
    this.sent = to;
    return new Uint8Array(BYTES.subarray(from, to));
  }

  write(bytes: number): void {
    this.writtenBytes = Math.min(this.writtenBytes + bytes, this.byteLength);
    this.onWritten?.();
  }
}

/** Sends a batch in parts to a client. Returns its response. */
async function send(batch: WrittenBatch, complete: Promise<void>): Promise<NodeJS.ReadableStream> {
  const server = createServer((_, response) => {
    const parts = new BatchParts(batch as unknown as Batch, complete);
    response.on("close", () => parts.close());
    parts.pipe(response.writeHead(200, { "content-length": BYTES.length }));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const call = request({ port: (server.address() as AddressInfo).port }).end();
  const [response] = (await once(call, "response")) as [NodeJS.ReadableStream];
  return response;
}

async function readAll(response: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe("a batch that is sent in parts", () => {
  it("lets other work run between two parts, even if the kernel takes each at once", async () => {
    const batch = new WrittenBatch(BYTES.length);
    let iteration = 0;
    const writes: number[] = [];
    const count = () => {
      iteration++;
      ticker = setImmediate(count);
    };
    let ticker = setImmediate(count);
    const socket = new Writable({
      write(_part, _encoding, done) {
        writes.push(iteration);
        done();
      },
    });
    await pipeline(new BatchParts(batch as unknown as Batch, Promise.resolve()), socket);
    clearImmediate(ticker);
    expect(writes).toHaveLength(10);
    expect(new Set(writes).size).toBe(writes.length);
  });

  it("has only its last two parts in memory, and none once it is closed", async () => {
    const batch = new WrittenBatch(BYTES.length);
    const views: Uint8Array[] = [];
    const part = batch.part.bind(batch);
    batch.part = (from, to) => {
      const view = part(from, to);
      views.push(view);
      return view;
    };
    const parts = new BatchParts(batch as unknown as Batch, Promise.resolve());
    const inMemory = () => views.filter(({ byteLength }) => byteLength > 0).length;
    const most: number[] = [];
    const socket = new Writable({
      write(_part, _encoding, done) {
        most.push(inMemory());
        done();
      },
    });
    await pipeline(parts, socket);
    expect([views.length, Math.max(...most) <= 2]).toEqual([10, true]);
    parts.close();
    expect(inMemory()).toBe(0);
  });

  it("fails if the export does", async () => {
    const failed = Promise.reject(new Error("no disk"));
    const parts = new BatchParts(new WrittenBatch(BYTES.length) as unknown as Batch, failed);
    await expect(readAll(parts)).rejects.toThrow("no disk");
  });

  // The first bytes to be ready end a little after the end of a part, or somewhere in one. The client reads when the connection is full.
  it.each([1, 100, 15_000, 20_000, 5 * MIB])(
    "arrives whole if %i bytes beyond a part are ready before the others",
    async (bytes) => {
      const batch = new WrittenBatch(8 * MIB + bytes);
      const response = await send(
        batch,
        sleep(50).then(() => batch.write(BYTES.length)),
      );
      await sleep(150);
      expect((await readAll(response)).equals(BYTES)).toBe(true);
    },
    20_000,
  );

  it.each([1, 15_000, 4 * MIB, 7 * MIB])("arrives whole if it is written %i bytes at a time", async (bytes) => {
    const batch = new WrittenBatch(bytes < MIB ? 39 * MIB : 8 * MIB);
    const complete = createDeferred<void>();
    const reading = readAll(await send(batch, complete.promise));
    while (batch.writtenBytes < BYTES.length) {
      batch.write(bytes);
      await nextTurn();
    }
    complete.resolve();
    expect((await reading).equals(BYTES)).toBe(true);
  });

  it("keeps its last part back until the export is complete", async () => {
    const batch = new WrittenBatch(5 * MIB);
    const complete = createDeferred<void>();
    const reading = readAll(await send(batch, complete.promise));
    await until(() => batch.sent === 4 * MIB);
    batch.write(BYTES.length);
    await until(() => batch.sent >= BYTES.length - 4 * MIB);
    expect(batch.sent).toBe(BYTES.length - 4 * MIB);
    complete.resolve();
    expect((await reading).equals(BYTES)).toBe(true);
  });
});
