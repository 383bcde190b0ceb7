import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { readPieces } from "../../../src/support/async/read-pieces.js";

const chunk = (byte: number, length = 10) => new Uint8Array(length).fill(byte);

describe("the pieces of a stream", () => {
  it("have at least the requested bytes, except for the last one, and the chunks as they came", async () => {
    const stream = new PassThrough({ highWaterMark: 1000 });
    const chunks = [1, 2, 3, 4, 5].map((byte) => Buffer.from(chunk(byte)));
    for (const each of chunks) stream.write(each);
    stream.end();
    const pieces: (readonly Uint8Array[])[] = [];
    for await (const piece of readPieces(stream, 15)) pieces.push(piece);
    expect(pieces.map((piece) => piece.map(([byte]) => byte))).toEqual([[1, 2], [3, 4], [5]]);
    expect(pieces.flat().every((each, i) => each === chunks[i])).toBe(true);
  });

  it("are none if the stream is empty", async () => {
    const stream = new PassThrough();
    stream.end();
    const pieces: unknown[] = [];
    for await (const piece of readPieces(stream, 1)) pieces.push(piece);
    expect(pieces).toEqual([]);
  });

  it("do not arrive while the reader is busy with one", async () => {
    const stream = new PassThrough({ highWaterMark: 1000 });
    stream.write(chunk(1));
    const pieces = readPieces(stream, 10);
    await pieces.next();
    stream.write(chunk(2));
    expect(stream.readableFlowing).toBe(false);
    await pieces.next();
    stream.end();
    expect(await pieces.next()).toEqual({ value: undefined, done: true });
  });

  it.each([
    ["an error", new Error("reset"), "reset"],
    ["nothing", undefined, "the stream was closed before its end"],
  ])("end with an error if the stream is destroyed with %s, also between two of them", async (_, error, message) => {
    const stream = new PassThrough();
    stream.on("error", () => {});
    stream.write(chunk(1));
    const pieces = readPieces(stream, 10);
    await pieces.next();
    stream.destroy(error);
    await new Promise((resolve) => stream.once("close", resolve));
    await expect(pieces.next()).rejects.toThrow(message);
    const other = new PassThrough();
    const waiting = readPieces(other, 10).next();
    other.destroy(error);
    await expect(waiting).rejects.toThrow(message);
  });
});
