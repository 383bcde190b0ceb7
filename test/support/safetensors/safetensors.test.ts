import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { countElements, type Dtype, ELEMENT_BYTES } from "../../../src/support/safetensors/dtype.js";
import { SafetensorsError } from "../../../src/support/safetensors/errors.js";
import { readHeader, readHeaderLength } from "../../../src/support/safetensors/read-header.js";
import { TensorFile } from "../../../src/support/safetensors/tensor-file.js";
import { encodeHeader, MAX_HEADER_BYTES, tensorBytes } from "../../../src/support/safetensors/write-header.js";

/** A file with this header text, and `data` bytes after it. */
function createFile(header: unknown, data = 0): Buffer {
  const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(data)]);
}

const dtypes = fc.constantFrom(...(Object.keys(ELEMENT_BYTES) as Dtype[]));
const specs = fc.uniqueArray(
  fc.record({
    name: fc.string({ minLength: 1 }).filter((name) => !/^(__metadata__|\d+)$/.test(name)),
    dtype: dtypes,
    shape: fc.array(fc.nat({ max: 5 }), { maxLength: 3 }),
  }),
  { selector: ({ name }) => name, maxLength: 8 },
);

describe("a written header", () => {
  it("reads back with the same metadata and the same tensors, in order and without gaps", () => {
    const metadata = fc.dictionary(fc.string(), fc.string());
    fc.assert(
      fc.property(specs, metadata, (tensors, written) => {
        const header = encodeHeader(tensors, written);
        const byteLength = tensors.reduce((sum, tensor) => sum + tensorBytes(tensor), header.length);
        const read = readHeader(header, byteLength);
        expect(read.metadata).toEqual({ ...written });
        let end = header.length;
        for (const tensor of read.tensors) {
          expect(tensor.start).toBe(end);
          end = tensor.end;
        }
        expect(end).toBe(byteLength);
        expect(read.tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape }))).toEqual(tensors);
      }),
    );
  });

  it("keeps entries with the name of a property that every object has", () => {
    const written = Object.fromEntries([["__proto__", "a text"]]);
    const header = encodeHeader([{ name: "__proto__", dtype: "I32", shape: [0] }], written);
    const { metadata, tensors } = readHeader(header);
    expect(Object.entries(metadata)).toEqual([["__proto__", "a text"]]);
    expect(tensors.map(({ name }) => name)).toEqual(["__proto__"]);
  });

  it("is padded with spaces to a multiple of 64 bytes", () => {
    const header = encodeHeader([{ name: "rewards", dtype: "F32", shape: [3] }], { layout: "packed" });
    expect(header.length % 64).toBe(0);
    expect(8 + readHeaderLength(header)).toBe(header.length);
    expect(header.toString("utf8", 8).trimEnd()).toBe(
      '{"__metadata__":{"layout":"packed"},"rewards":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}',
    );
  });

  it("is refused if it exceeds the limit of the format", () => {
    expect(() => encodeHeader([], { rows: "x".repeat(MAX_HEADER_BYTES) })).toThrow(RangeError);
  });
});

describe("readHeader", () => {
  const entry = { dtype: "I32", shape: [2], data_offsets: [0, 8] };
  it.each([
    ["is shorter than the length of a header", Buffer.alloc(7), "it has fewer than 8 bytes"],
    ["has a header length that is too large", Buffer.alloc(16, 0xff), "its header would have"],
    ["ends within its header", createFile({}).subarray(0, 9), "it ends within its header"],
    ["has a header that is not JSON", createFile("{"), "its header is invalid"],
    [
      "has a tensor without a shape",
      createFile({ ids: { dtype: "I32", data_offsets: [0, 8] } }, 8),
      "its header is invalid",
    ],
    ["has a header that is a list", createFile([]), "its header is invalid"],
    ["has metadata that is not text", createFile({ __metadata__: { rows: 1 } }), "its header is invalid"],
    ["ends within a tensor", createFile({ ids: entry }, 7), "ids lies outside of the file"],
    [
      "has a tensor that ends before its start",
      createFile({ ids: { ...entry, data_offsets: [8, 0] } }, 8),
      "ids lies outside",
    ],
    [
      "has a tensor of another size",
      createFile({ ids: { ...entry, shape: [3, 2] } }, 8),
      "ids is I32 [3, 2] in 8 bytes",
    ],
  ])("refuses a file that %s", (_, file, reason) => {
    expect(() => readHeader(file)).toThrow(SafetensorsError);
    expect(() => readHeader(file)).toThrow(`not a safetensors file: ${reason}`);
  });
});

describe("a header", () => {
  it("may lack metadata and may have unknown element types", () => {
    const { metadata, tensors } = readHeader(
      createFile({ w: { dtype: "F8_E4M3", shape: [2], data_offsets: [0, 2] } }, 2),
    );
    expect(metadata).toEqual({});
    expect(tensors).toMatchObject([{ name: "w", dtype: "F8_E4M3" }]);
  });

  it("lists tensors in the order of their bytes, not of their entries", () => {
    const { tensors } = readHeader(
      createFile(
        {
          second: { dtype: "U8", shape: [1], data_offsets: [1, 2] },
          first: { dtype: "U8", shape: [1], data_offsets: [0, 1] },
        },
        2,
      ),
    );
    expect(tensors.map(({ name }) => name)).toEqual(["first", "second"]);
  });

  it("is read from a view into a larger buffer", () => {
    const file = createFile({ ids: { dtype: "I32", shape: [2], data_offsets: [0, 8] } }, 8);
    const view = Buffer.concat([Buffer.alloc(3), file, Buffer.alloc(5)]).subarray(3, 3 + file.length);
    expect(readHeader(view)).toEqual(readHeader(file));
  });
});

describe("a tensor file", () => {
  function writeFile(bytes: Uint8Array): string {
    const folder = mkdtempSync(join(tmpdir(), "tensor-file-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "batch.safetensors");
    writeFileSync(path, bytes);
    return path;
  }

  const openFile = (bytes: Uint8Array): Promise<TensorFile> => TensorFile.open(writeFile(bytes));

  /** Compares the bytes, because `toEqual` takes many seconds for a million numbers. */
  function isSame(numbers: ArrayBufferView | undefined, expected: Int32Array): boolean {
    if (numbers === undefined) return false;
    const [a, b] = [numbers, expected].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength));
    return a !== undefined && b?.equals(a) === true;
  }

  it("returns the numbers of a tensor", async () => {
    const ids = Int32Array.from({ length: (1 << 20) + 3 }, (_, index) => index - 7);
    const header = encodeHeader([{ name: "ids", dtype: "I32", shape: [ids.length] }], {});
    await using file = await openFile(Buffer.concat([header, Buffer.from(ids.buffer)]));
    const values = await file.values("ids", countElements([ids.length]));
    expect(values).toBeInstanceOf(Int32Array);
    expect(isSame(values, ids)).toBe(true);
    const pieces: number[] = [];
    for await (const piece of file.numbers("ids")) for (const number of piece) pieces.push(number);
    expect(isSame(Int32Array.from(pieces), ids)).toBe(true);
  });

  it("returns bytes of a tensor, and rejects if the file has become shorter", async () => {
    const header = encodeHeader([{ name: "flags", dtype: "U8", shape: [5] }], {});
    await using file = await openFile(Buffer.concat([header, Buffer.from([1, 2, 3, 4, 5])]));
    const [flags] = file.header.tensors;
    if (!flags) throw new Error("The file has no tensor.");
    expect([...(await file.bytes(flags, 1, 3))]).toEqual([2, 3, 4]);
    await expect(file.bytes(flags, 3, 3)).rejects.toThrow("it ends within flags");
  });

  it("returns numbers as floats or as truth values, and none of other element types", async () => {
    const header = encodeHeader(
      [
        { name: "rewards", dtype: "F32", shape: [2] },
        { name: "flags", dtype: "BOOL", shape: [2] },
        { name: "bytes", dtype: "U8", shape: [2] },
      ],
      {},
    );
    const bytes = Buffer.concat([header, Buffer.from(Float32Array.of(0.5, -2).buffer), Buffer.from([1, 0, 7, 8])]);
    await using opened = await openFile(bytes);
    for (const file of [opened, TensorFile.fromBytes(bytes)]) {
      expect(await file.values("rewards", 2)).toEqual(Float32Array.of(0.5, -2));
      expect(await file.values("flags", 2)).toEqual(Uint8Array.of(1, 0));
      expect(await file.values("bytes", 2)).toBeUndefined();
      expect((await file.numbers("bytes").next()).done).toBe(true);
      expect(file.byteLength).toBe(bytes.length);
    }
  });

  it("is opened although its tensors do not lie in it, if damage is allowed", async () => {
    const path = writeFile(createFile({ ids: { dtype: "I32", shape: [2], data_offsets: [0, 8] } }, 7));
    await expect(TensorFile.open(path)).rejects.toThrow("ids lies outside of the file");
    await using file = await TensorFile.open(path, { allowDamage: true });
    expect(file.header.tensors).toMatchObject([{ name: "ids" }]);
  });

  it("is closed if it is invalid or its header is longer than allowed", async () => {
    const bytes = createFile({}, 0);
    let closed = 0;
    const file = {
      read: async (target: Uint8Array, offset: number, length: number, position: number) => {
        // A byte at a time, as a slow disk may return them.
        const part = bytes.subarray(position, position + Math.min(1, length));
        target.set(part, offset);
        return { bytesRead: part.length };
      },
      close: async () => void closed++,
    };
    const opened = await TensorFile.read(file, bytes.length, { maxHeaderBytes: 2 });
    expect([opened.header.tensors, closed]).toEqual([[], 0]);
    await opened[Symbol.asyncDispose]();
    expect(closed).toBe(1);
    await expect(TensorFile.read(file, bytes.length, { maxHeaderBytes: 1 })).rejects.toThrow("its header would have 2");
    expect(closed).toBe(2);
  });

  it("returns undefined for a tensor that is missing or has another shape", async () => {
    const header = encodeHeader([{ name: "ids", dtype: "I32", shape: [1] }], {});
    await using file = await openFile(Buffer.concat([header, Buffer.alloc(4)]));
    expect(await file.values("rewards", 1)).toBeUndefined();
    expect(await file.values("ids", 2)).toBeUndefined();
    const square = TensorFile.fromBytes(
      Buffer.concat([encodeHeader([{ name: "ids", dtype: "I32", shape: [1, 1] }], {}), Buffer.alloc(4)]),
    );
    expect(await square.values("ids", 1)).toBeUndefined();
  });
});
