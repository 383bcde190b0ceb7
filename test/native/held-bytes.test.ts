import { describe, expect, it } from "vitest";
import { native } from "../../src/native/addon.js";
import { generation, planOptions, twoTurns } from "./support.js";

/** Bytes that a worker thread of the addon reads in place. */

const sglangReply = JSON.stringify({ meta_info: { output_token_logprobs: [[-1, 1, null]] } });
const vllmReply = JSON.stringify({
  choices: [{ token_ids: [1], logprobs: { tokens: ["token_id:1"], token_logprobs: [-1] } }],
});

function storedTurn(): Uint8Array {
  const session = twoTurns();
  return session.serialize(0);
}

interface Reader {
  readonly bytes: () => Uint8Array;
  readonly read: (bytes: Uint8Array) => Promise<unknown>;
  /** How errors name the argument. */
  readonly name: string;
}

const limits = { depth: 127, values: 1e6, keys: 1e6, lists: {} };
const readers: Record<string, Reader> = {
  "JsonCheck.findExcessAsync": {
    bytes: () => Buffer.from("[1]"),
    read: (bytes) => new native.JsonCheck(limits).findExcessAsync(bytes),
    name: "json",
  },
  "Session.restoreAsync": {
    bytes: storedTurn,
    read: (bytes) => new native.Session().restoreAsync([bytes]),
    name: "parts[0]",
  },
  "Plan.pack": {
    bytes: () => Buffer.from("[]"),
    read: (bytes) => native.planBatch([twoTurns()], planOptions).pack({ rows: [bytes] }),
    name: "metadata.rows",
  },
  "Plan.pack, tensors": {
    bytes: () => Uint8Array.of(1, 2, 3),
    read: (bytes) => {
      const tensors = [{ name: "given", dtype: "U8" as const, shape: [3], parts: [bytes] }];
      return native.planBatch([twoTurns()], planOptions).pack({}, { tensors });
    },
    name: "options.tensors[0].parts",
  },
  "Generation.appendSglangReplyAsync": {
    bytes: () => Buffer.from(sglangReply),
    read: (bytes) => generation([9]).appendSglangReplyAsync(bytes, 0),
    name: "body",
  },
  "Generation.appendVllmReplyAsync": {
    bytes: () => Buffer.from(vllmReply),
    read: (bytes) => generation([9]).appendVllmReplyAsync(bytes, 0, 0),
    name: "body",
  },
};

// Node 20 has resizable buffers, but its type declarations do not.
const Resizable = ArrayBuffer as new (length: number, options: { maxByteLength: number }) => ArrayBuffer;

function copyInto<B extends ArrayBufferLike>(buffer: B, bytes: Uint8Array): Uint8Array<B> {
  const copy = new Uint8Array(buffer);
  copy.set(bytes);
  return copy;
}

describe.each(Object.entries(readers))("%s", (_, { bytes, read, name }) => {
  const refused = (about: string) => ({
    code: "ERR_INVALID_ARG",
    message: expect.stringContaining(`${name}: expected ${about}`) as string,
  });
  const fixedSize = refused("a Uint8Array over an ArrayBuffer of fixed size");

  it("reads bytes of a buffer of fixed size", async () => {
    const given = bytes();
    await expect(read(copyInto(new ArrayBuffer(given.length), given))).resolves.not.toThrow();
  });

  it("refuses a buffer that can shrink", async () => {
    const given = bytes();
    const buffer = new Resizable(given.length, { maxByteLength: given.length });
    await expect(read(copyInto(buffer, given))).rejects.toMatchObject(fixedSize);
  });

  it("refuses memory that other threads can write to", async () => {
    const given = bytes();
    await expect(read(copyInto(new SharedArrayBuffer(given.length), given))).rejects.toMatchObject(fixedSize);
  });

  it("rejects if the buffer is transferred while it is read", async () => {
    const given = bytes();
    const copy = copyInto(new ArrayBuffer(given.length), given);
    const reading = read(copy);
    // Keeps the memory, which Node-API cannot.
    const { buffer } = structuredClone(copy, { transfer: [copy.buffer] });
    await expect(reading).rejects.toMatchObject(refused("a buffer that is not transferred while it is read"));
    expect(buffer.byteLength).toBe(given.length);
  });

  it("refuses a buffer that was transferred before", async () => {
    const given = bytes();
    const copy = copyInto(new ArrayBuffer(given.length), given);
    structuredClone(copy, { transfer: [copy.buffer] });
    await expect(read(copy)).rejects.toMatchObject(refused("a buffer not transferred"));
  });
});
