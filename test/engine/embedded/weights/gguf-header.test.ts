import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkGgufHeader } from "../../../../src/engine/embedded/weights/gguf-header.js";
import { temporaryFolder } from "../../../cli/rolltape.js";

/** https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: number | bigint) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const text = (value: string) => Buffer.concat([u64(value.length), Buffer.from(value)]);
const [STRING, ARRAY] = [8, 9];

const pair = (type: number, ...value: Buffer[]) => Buffer.concat([text("key"), u32(type), ...value]);
const tensor = (axes: number) => Buffer.concat([text("t"), u32(axes), Buffer.alloc(8 * axes), u32(0), u64(0)]);

interface Header {
  readonly magic?: string;
  readonly version?: number;
  readonly pairs?: readonly Buffer[];
  readonly tensors?: readonly Buffer[];
  readonly pairCount?: number | bigint;
  readonly tensorCount?: number | bigint;
}

async function check(header: Header, cut = 0): Promise<string> {
  const { magic = "GGUF", version = 3, pairs = [], tensors = [] } = header;
  const { pairCount = pairs.length, tensorCount = tensors.length } = header;
  const start = [Buffer.from(magic), u32(version), u64(tensorCount), u64(pairCount)];
  const bytes = Buffer.concat([...start, ...pairs, ...tensors]);
  const path = join(temporaryFolder(), "x.gguf");
  writeFileSync(path, bytes.subarray(0, bytes.length - cut));
  return checkGgufHeader(path).then(
    () => "read",
    (error: Error) => error.message.replace("it is not a GGUF file, or a damaged one: ", ""),
  );
}

const SCALARS = [
  [1, [0, 1, 7]],
  [2, [2, 3]],
  [4, [4, 5, 6]],
  [8, [10, 11, 12]],
] as const;

const WHOLE: Header = {
  pairs: [
    ...SCALARS.flatMap(([bytes, types]) => types.map((type) => pair(type, Buffer.alloc(bytes)))),
    ...SCALARS.flatMap(([bytes, types]) =>
      types.map((type) => pair(ARRAY, u32(type), u64(3), Buffer.alloc(3 * bytes))),
    ),
    pair(STRING, text("value")),
    pair(ARRAY, u32(STRING), u64(2), text("a"), text("bcd")),
  ],
  tensors: [0, 1, 4].map(tensor),
};

describe("the header of a GGUF file", () => {
  it.each([2, 3])("of version %i is accepted with values of every type", async (version) => {
    expect(await check({ ...WHOLE, version })).toBe("read");
  });

  it("is refused if the file ends within it, wherever that is", async () => {
    for (const cut of [1, 5, 20, 100, 300])
      expect([cut, await check(WHOLE, cut)]).toEqual([cut, "it ends within its header"]);
  });

  it.each<[string, Header, string]>([
    ["other first bytes", { magic: "GGML" }, "it does not begin with GGUF"],
    ["an unknown version", { version: 1 }, "its version is 1; only 2 and 3 can be read"],
    ["an impossible number of tensors", { tensorCount: 2n ** 62n }, `it has ${2n ** 62n} tensors`],
    ["an impossible number of pairs", { pairCount: 2 ** 22 + 1 }, "it has 4194305 pairs"],
    [
      "an impossible number of texts",
      { pairs: [pair(ARRAY, u32(STRING), u64(2n ** 22n + 1n))] },
      "it has 4194305 texts in an array",
    ],
    ["a value of an unknown type", { pairs: [pair(13)] }, "a value has the type 13"],
    ["an array in an array", { pairs: [pair(ARRAY, u32(ARRAY), u64(1))] }, "an array has elements of the type 9"],
    ["a tensor with too many axes", { tensors: [tensor(5)] }, "a tensor has 5 axes"],
    ["a text that is longer than the file", { pairs: [pair(STRING, u64(2n ** 62n))] }, "it ends within its header"],
  ])("is refused for %s", async (_, header, problem) => {
    expect(await check(header)).toBe(problem);
  });
});
