import { execFileSync } from "node:child_process";
import { copyFile, mkdtemp, open, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddedEngine } from "../../../../src/engine/embedded/embedded-engine.js";
import type { Engine } from "../../../../src/engine/engine.js";
import { type TinyCheckpoint, writeTinyCheckpoint } from "../../../helpers/tiny-checkpoint.js";

let scratch: string;
let folder: string;
let other: TinyCheckpoint;
let engine: Engine;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rolltape-hostile-"));
  other = await writeTinyCheckpoint(join(scratch, "other"), 77);
  engine = await createEmbeddedEngine({ contextSize: 512, sequences: 1 });
});
afterAll(async () => {
  await engine.close();
  await rm(scratch, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(scratch, "case-"));
});

/** Reads weights as an update does before its pause. */
async function prepare(path: string): Promise<void> {
  const prepared = await engine.localWeights?.prepare?.(path);
  await prepared?.discard();
}

const refused = (message: RegExp) => {
  return { code: "engine_error", message: expect.stringMatching(message) as string };
};

// A process that has begun to open a named pipe cannot end, so each of these tests is given a writer at last.
describe("a named pipe is refused without being opened", () => {
  const mkfifo = (path: string) => execFileSync("mkfifo", [path]);

  async function expectRefusal(path: string, pipe: string): Promise<void> {
    const writer = setTimeout(() => void open(pipe, "r+").then((file) => file.close()), 2000);
    await expect(prepare(path)).rejects.toMatchObject(refused(/not a regular file/));
    clearTimeout(writer);
  }

  it("as the path itself", async () => {
    const pipe = join(folder, "model.gguf");
    mkfifo(pipe);
    await expectRefusal(pipe, pipe);
  });

  it("as config.json", async () => {
    const pipe = join(folder, "config.json");
    mkfifo(pipe);
    await expectRefusal(folder, pipe);
  });

  it("as a shard that the index names", async () => {
    const pipe = join(folder, "shard.safetensors");
    mkfifo(pipe);
    await copyFile(join(other.folder, "config.json"), join(folder, "config.json"));
    const index = { weight_map: { "lm_head.weight": "shard.safetensors" } };
    await writeFile(join(folder, "model.safetensors.index.json"), JSON.stringify(index));
    await expectRefusal(folder, pipe);
  });
});

it("refuses a device and a loop of links", async () => {
  await expect(prepare("/dev/zero")).rejects.toMatchObject(refused(/not a regular file/));
  const loop = join(folder, "loop");
  await symlink("loop", loop);
  await expect(prepare(loop)).rejects.toMatchObject(refused(/ELOOP/));
});

describe("a GGUF file whose header counts more than the file has", () => {
  const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);
  const text = (value: string) => Buffer.concat([u64(BigInt(value.length)), Buffer.from(value)]);
  const header = (tensors: bigint, pairs: bigint, ...rest: readonly Buffer[]) => {
    return Buffer.concat([Buffer.from("GGUF"), u32(3), u64(tensors), u64(pairs), ...rest, Buffer.alloc(256)]);
  };
  const array = (elementType: number, count: bigint) => [text("a"), u32(9), u32(elementType), u64(count)];

  it.each([
    ["2^62 pairs", header(0n, 2n ** 62n, text("a"), u32(4), u32(1))],
    ["2^62 tensors", header(2n ** 62n, 0n)],
    ["an array of 2^62 numbers", header(0n, 1n, ...array(4, 2n ** 62n))],
    ["an array of 2^64 - 1 texts", header(0n, 1n, ...array(8, 2n ** 64n - 1n))],
    ["an array of arrays", header(0n, 1n, ...array(9, 2n ** 31n))],
    ["a text of 2^63 bytes", header(0n, 1n, u64(2n ** 63n))],
    ["a tensor of 2^31 axes", header(1n, 0n, text("t"), u32(2 ** 31))],
    ["an unknown type", header(0n, 1n, text("a"), u32(99))],
    ["an old version", Buffer.concat([Buffer.from("GGUF"), u32(1), Buffer.alloc(64)])],
  ])("is refused: %s", async (_, bytes) => {
    const path = join(folder, "model.gguf");
    await writeFile(path, bytes);
    await expect(prepare(path)).rejects.toMatchObject(refused(/is not a GGUF file, or a damaged one/));
    // A sparse file is as long as its header claims.
    await truncate(path, 2 ** 40);
    await expect(prepare(path)).rejects.toMatchObject(refused(/is not a GGUF file, or a damaged one/));
  });

  it.each([0, 3])("is refused as another file if it has %i bytes", async (length) => {
    const path = join(folder, "model.gguf");
    await writeFile(path, "GGUF".slice(0, length));
    await expect(prepare(path)).rejects.toMatchObject(refused(/is no GGUF file/));
  });

  it("is refused wherever its header is cut, and is loaded whole", async () => {
    const bytes = await readFile(other.gguf);
    const path = join(folder, "model.gguf");
    for (const length of [4, 8, 23, 24, 100, 5000]) {
      await writeFile(path, bytes.subarray(0, length));
      await expect(prepare(path)).rejects.toMatchObject(refused(/ends within its header/));
    }
    await writeFile(path, bytes);
    await prepare(path);
  });
});
