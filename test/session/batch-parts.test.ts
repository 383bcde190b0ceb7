import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/session/batch/batch.js";
import { BatchParts } from "../../src/session/batch/batch-parts.js";

const MIB = 1 << 20;

/** Bytes that differ at every position where parts could be mixed up. */
const BYTES = Buffer.alloc(40 * MIB);
for (let at = 0; at < BYTES.length; at += 4) BYTES.writeUInt32LE(at, at);

/** A batch whose parts have memory of their own, so that a part that is detached too early is missing. */
function batchOf(writtenBytes: number): Batch {
  const part = (from: number, to: number) => new Uint8Array(BYTES.subarray(from, to));
  return { byteLength: BYTES.length, writtenBytes, part } as unknown as Batch;
}

/** Sends a batch that is complete a moment after the connection is full, and reads it slowly. */
async function sendSlowly(writtenBytes: number): Promise<Buffer> {
  const server = createServer((_, response) => {
    const parts = new BatchParts(batchOf(writtenBytes), sleep(50));
    response.on("close", () => parts.close());
    parts.pipe(response.writeHead(200, { "content-length": BYTES.length }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const call = request({ port: (server.address() as AddressInfo).port }).end();
    const [response] = (await once(call, "response")) as [NodeJS.ReadableStream];
    await sleep(150);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("a batch that is sent in parts", () => {
  // The first bytes to be ready end a little after the end of a part, or somewhere in one.
  it.each([1, 100, 15_000, 20_000, 5 * MIB])(
    "arrives whole if %i bytes beyond a part are ready before the others",
    async (bytes) => {
      const received = await sendSlowly(8 * MIB + bytes);
      expect(received.length).toBe(BYTES.length);
      expect(received.equals(BYTES)).toBe(true);
    },
    20_000,
  );
});
