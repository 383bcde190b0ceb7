import { describe, expect, it } from "vitest";
import { readChunks } from "../../../src/cli/export/read-chunks.js";

const MAX = 8 << 20;

/** A file of `size` bytes of which only the first `present` are left, and which gives at most `piece` bytes at once. */
function open(size: number, { present = size, piece = Number.POSITIVE_INFINITY } = {}) {
  const reads: [number, number][] = [];
  const steps: string[] = [];
  const file = {
    stat: async () => ({ size, ino: 1, mtimeMs: 0 }),
    read: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      reads.push([position, length]);
      const bytesRead = Math.max(0, Math.min(length, piece, present - position));
      bytes.fill(position % 251, offset, offset + bytesRead);
      return { bytesRead };
    },
    close: async () => {
      await Promise.resolve();
      steps.push("closed");
    },
  };
  return { file, reads, steps };
}

async function lengths(file: ReturnType<typeof open>["file"]): Promise<number[]> {
  const found = [];
  for await (const chunk of readChunks(file)) found.push(chunk.length);
  return found;
}

describe("the chunks of a file", () => {
  it("are as large as a request may be, and the file is closed behind them", async () => {
    const { file, reads, steps } = open(2 * MAX + 5);
    expect(await lengths(file)).toEqual([MAX, MAX, 5]);
    expect([reads, steps]).toEqual([
      [
        [0, MAX],
        [MAX, MAX],
        [2 * MAX, 5],
      ],
      ["closed"],
    ]);
  });

  it("are what each read gives", async () => {
    const { file, reads } = open(10, { piece: 4 });
    expect(await lengths(file)).toEqual([4, 4, 2]);
    expect(reads).toEqual([
      [0, 10],
      [4, 6],
      [8, 2],
    ]);
  });

  it("end where a file has become shorter", async () => {
    const { file, steps } = open(10, { present: 6 });
    expect(await lengths(file)).toEqual([6]);
    expect(steps).toEqual(["closed"]);
  });

  it("are none of an empty file", async () => {
    const { file, reads, steps } = open(0);
    expect([await lengths(file), reads, steps]).toEqual([[], [], ["closed"]]);
  });

  it("close the file when the reader stops", async () => {
    const { file, steps } = open(2 * MAX);
    for await (const _ of readChunks(file)) break;
    expect(steps).toEqual(["closed"]);
  });
});
