import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GgufFileInfo, readGgufFileInfo } from "node-llama-cpp";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeGguf, type GgufValue } from "../../../../../src/engine/embedded/tiny-model/gguf.js";
import { tinyModelFiles } from "../../../../../src/engine/embedded/tiny-model/tiny-model-files.js";
import { convertCheckpoint } from "../../../../../src/engine/embedded/weights/hugging-face/convert-checkpoint.js";
import { type FloatType, widen } from "../../../../../src/engine/embedded/weights/hugging-face/float-types.js";
import { toHuggingFaceName } from "../../../../../src/engine/embedded/weights/hugging-face/tensor-names.js";
import {
  GGML_TYPE,
  type ModelTemplate,
  readModelTemplate,
} from "../../../../../src/engine/embedded/weights/model-template.js";
import {
  type CheckpointTensor,
  makeVariantGguf,
  readTinyTensors,
  writeConfig,
  writeSafetensors,
} from "../../../../helpers/tiny-checkpoint.js";
import { listOpenFiles } from "../../../../transcript/lines.js";

/** The GGUF file that the engine makes of a Hugging Face folder. */

const SEED = 77;
const tensors = readTinyTensors(SEED);
const GGUF = tinyModelFiles(SEED).get("model.gguf") ?? Buffer.alloc(0);

let template: ModelTemplate;
let folder: string;
let temporary: string;
const scratch = mkdtempSync(join(tmpdir(), "rolltape-convert-"));
afterAll(() => rmSync(scratch, { recursive: true }));
const makeFolder = () => mkdtempSync(join(scratch, "folder-"));

async function readTemplate(gguf: Buffer): Promise<{ info: GgufFileInfo; template: ModelTemplate }> {
  const path = join(makeFolder(), "model.gguf");
  writeFileSync(path, gguf);
  const info = await readGgufFileInfo(path, { sourceType: "filesystem", logWarnings: false });
  return { info, template: await readModelTemplate(info, path) };
}

beforeAll(async () => {
  template = (await readTemplate(tinyModelFiles().get("model.gguf") ?? Buffer.alloc(0))).template;
});

beforeEach(async () => {
  [folder, temporary] = [makeFolder(), makeFolder()];
  vi.stubEnv("TMPDIR", temporary);
  await writeConfig(folder);
  await writeSafetensors(join(folder, "model.safetensors"), tensors);
  return () => vi.unstubAllEnvs();
});

async function convert(used = template): Promise<Buffer> {
  await using gguf = await convertCheckpoint(folder, used);
  expect(gguf.path.startsWith(temporary)).toBe(true);
  return readFileSync(gguf.path);
}

/** Rounds a tensor to 16 bits by cutting. All of its numbers stay in the normal range. */
function cutBits(tensor: CheckpointTensor): CheckpointTensor {
  const bits = Uint16Array.from(new Uint32Array(Uint8Array.from(tensor.bytes).buffer), (each) => each >>> 16);
  return { ...tensor, dtype: "BF16", bytes: new Uint8Array(bits.buffer) };
}

const widened = (tensor: CheckpointTensor): CheckpointTensor => ({
  ...tensor,
  dtype: "F32",
  bytes: widen(Uint8Array.from(tensor.bytes), tensor.dtype as FloatType),
});

const write = (list: readonly CheckpointTensor[]) => writeSafetensors(join(folder, "model.safetensors"), list);

/** The model in use with tensors of another type. */
function retype(type: number): ModelTemplate {
  return { ...template, tensors: new Map([...template.tensors].map(([name, each]) => [name, { ...each, type }])) };
}

describe("the GGUF file of a Hugging Face folder", () => {
  it("has the bytes of the GGUF file with the same weights, and is deleted afterwards", async () => {
    expect((await convert()).equals(GGUF)).toBe(true);
    expect(readdirSync(temporary)).toEqual([]);
    expect(listOpenFiles(folder)).toEqual([]);
  });

  it("has the weights of several files with an index", async () => {
    const shards = { "one.safetensors": tensors.slice(0, 9), "two.safetensors": tensors.slice(9) };
    const map: Record<string, string> = {};
    for (const [name, part] of Object.entries(shards)) {
      await writeSafetensors(join(folder, name), part);
      for (const tensor of part) map[tensor.name] = name;
    }
    rmSync(join(folder, "model.safetensors"));
    const index = join(folder, "model.safetensors.index.json");
    writeFileSync(index, JSON.stringify({ weight_map: map }));
    expect((await convert()).equals(GGUF)).toBe(true);
    // A tensor that the index leaves to another file is not taken.
    await writeSafetensors(join(folder, "one.safetensors"), [
      ...shards["one.safetensors"],
      { name: "model.norm.weight", dtype: "F32", shape: [1], bytes: new Uint8Array(4) },
    ]);
    expect((await convert()).equals(GGUF)).toBe(true);
    await writeSafetensors(join(folder, "two.safetensors"), tensors.slice(10));
    await expect(convert()).rejects.toThrow(
      `${join(folder, "two.safetensors")}: tensor ${tensors[9]?.name} is missing, but the index names it.`,
    );
  });

  it("is made of the single file if there is an index too", async () => {
    writeFileSync(join(folder, "model.safetensors.index.json"), "{}");
    expect((await convert()).equals(GGUF)).toBe(true);
  });

  it("has numbers of 32 bits if the model in use has, whatever the folder has", async () => {
    const halves = tensors.map(cutBits);
    await write(halves.map(widened));
    const expected = await convert();
    await write(halves);
    expect((await convert()).equals(expected)).toBe(true);
  });

  it("has the folder's type otherwise, except for vectors", async () => {
    const mixed = tensors.map((tensor) => (tensor.shape.length > 1 ? cutBits(tensor) : tensor));
    await write(mixed);
    const { info } = await readTemplate(await convert(retype(GGML_TYPE.F16)));
    const types = (info.fullTensorInfo ?? info.tensorInfo ?? []).map(({ dimensions, ggmlType }) => [
      dimensions.length,
      ggmlType as number,
    ]);
    expect(new Set(types.map(String))).toEqual(new Set([`1,${GGML_TYPE.F32}`, `2,${GGML_TYPE.BF16}`]));
    expect(types).toHaveLength(tensors.length);
  });

  it("has no output matrix if the embeddings are tied, whether the folder has a copy or not", async () => {
    const names = async () => {
      const { info } = await readTemplate(await convert());
      return (info.fullTensorInfo ?? info.tensorInfo ?? []).map(({ name }) => name);
    };
    const all = await names();
    const tied = all.filter((name) => name !== "output.weight");
    expect(tied).toHaveLength(all.length - 1);
    await writeConfig(folder, { tie_word_embeddings: true });
    expect(await names()).toEqual(tied);
    await write(tensors.filter(({ name }) => name !== "lm_head.weight"));
    expect(await names()).toEqual(tied);
    await writeConfig(folder, { tie_word_embeddings: undefined });
    expect(await names()).toEqual(tied);
    await write(tensors);
    expect(await names()).toEqual(all);
  });

  it("has an output matrix of its own if the model in use had tied embeddings", async () => {
    const tied = await readTemplate(makeVariantGguf({ architecture: "llama", tied: true }));
    expect(tied.template.tensors.has("output.weight")).toBe(false);
    const { info } = await readTemplate(await convert(tied.template));
    const output = (info.tensorInfo ?? []).at(-1);
    expect([output?.name, output?.dimensions.map(Number)]).toEqual(["output.weight", [64, 512]]);
  });

  it("has the rotary factors of the model in use, which safetensors lack", async () => {
    const bytes = new Uint8Array(Float32Array.from({ length: 16 }, (_, index) => index).buffer);
    const factors = { name: "rope_freqs.weight", shape: [16], type: GGML_TYPE.F32 };
    const used = {
      ...template,
      rotaryFactors: bytes,
      tensors: new Map([[factors.name, factors], ...template.tensors]),
    };
    await writeConfig(folder, { rope_scaling: { rope_type: "llama3" } });
    const { info, template: read } = await readTemplate(await convert(used));
    expect((info.tensorInfo ?? [])[0]?.name).toBe("rope_freqs.weight");
    expect(read.rotaryFactors && Array.from(read.rotaryFactors)).toEqual(Array.from(bytes));
  });

  it("leaves out tensors that old folders have although they can be computed", async () => {
    const computed = { name: "model.layers.0.self_attn.rotary_emb.inv_freq", dtype: "F32", shape: [1] } as const;
    await write([...tensors, { ...computed, bytes: new Uint8Array(4) }]);
    expect((await convert()).equals(GGUF)).toBe(true);
  });

  it.each(["qwen2", "qwen3"] as const)("keeps the order of rows of %s", async (architecture) => {
    const gguf = makeVariantGguf({ architecture, seed: SEED });
    const { info, template: used } = await readTemplate(gguf);
    const list = (info.tensorInfo ?? []).map(({ name, dimensions, fileOffset }): CheckpointTensor => {
      const shape = dimensions.map(Number).toReversed();
      const bytes = 4 * shape.reduce((product, extent) => product * extent, 1);
      const start = Number(fileOffset);
      return {
        name: toHuggingFaceName(name) ?? "",
        dtype: "F32",
        shape,
        bytes: Uint8Array.from(gguf.subarray(start, start + bytes)),
      };
    });
    await writeConfig(folder, { model_type: architecture });
    await write(list);
    const made = await readTemplate(await convert(used));
    const sorted = (each: GgufFileInfo) => (each.tensorInfo ?? []).map(({ name }) => name).toSorted();
    expect(sorted(made.info)).toEqual(sorted(info));
    const output = list.find(({ name }) => name === "lm_head.weight");
    const rest = list.filter(({ name }) => name !== "lm_head.weight");
    const ordered = [...rest, ...(output ? [output] : [])];
    const file = await convert(used);
    let at = Number((made.info.tensorInfo ?? [])[0]?.fileOffset);
    for (const { bytes } of ordered) {
      expect(file.subarray(at, at + bytes.length).equals(bytes)).toBe(true);
      at += bytes.length + ((32 - (bytes.length % 32)) % 32);
    }
    expect(file.length).toBe(at);
  });
});

describe("a folder that cannot be converted", () => {
  const FIRST = "model.layers.0.self_attn.q_proj.weight";
  const change = (edit: (tensor: CheckpointTensor) => Partial<CheckpointTensor> | undefined) =>
    tensors.flatMap((tensor) => {
      const changes = tensor.name === FIRST ? edit(tensor) : {};
      return changes ? [{ ...tensor, ...changes }] : [];
    });

  it.each<[string, readonly CheckpointTensor[], string]>([
    ["a missing tensor", change(() => undefined), `tensor ${FIRST} is missing.`],
    [
      "a tensor too many",
      [...tensors, { name: "model.layers.2.mlp.up_proj.weight", dtype: "F32", shape: [1], bytes: new Uint8Array(4) }],
      "the model in use has no tensor model.layers.2.mlp.up_proj.weight.",
    ],
    [
      "another shape",
      change(() => ({ shape: [32, 128] })),
      `tensor ${FIRST} has the shape [32, 128], but the model in use has [64, 64].`,
    ],
    [
      "another type",
      change(() => ({ dtype: "I32" })),
      `tensor ${FIRST} has the type I32; only F32, F16 and BF16 can be loaded.`,
    ],
  ])("is refused for %s", async (_, list, problem) => {
    await write(list);
    await expect(convert()).rejects.toThrow(`${folder}: ${problem}`);
  });

  it("is refused for a number that is not finite, and leaves nothing behind", async () => {
    await write(
      change(({ bytes }) => {
        const numbers = new Float32Array(Uint8Array.from(bytes).buffer);
        numbers[5] = Number.NaN;
        return { bytes: new Uint8Array(numbers.buffer) };
      }),
    );
    await expect(convert()).rejects.toThrow(
      `${join(folder, "model.safetensors")}: tensor ${FIRST} has a number that is not finite.`,
    );
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("is refused if a tensor of the model in use has no name in safetensors", async () => {
    const unknown = { name: "blk.0.ssm.weight", shape: [1], type: 0 };
    const used = { ...template, tensors: new Map([...template.tensors, [unknown.name, unknown]]) };
    await expect(convert(used)).rejects.toThrow(
      "tensor blk.0.ssm.weight of the model in use has no counterpart in safetensors.",
    );
  });

  it("is refused if the model in use is split into several files", async () => {
    const used = { ...template, metadata: { ...template.metadata, split: true } };
    await expect(convert(used)).rejects.toThrow(
      `${folder}: safetensors cannot be loaded, because the model in use is split into several GGUF files.`,
    );
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ["no weights", () => undefined, /has neither model\.safetensors nor model\.safetensors\.index\.json\.$/],
    ["a folder in place of the weights", (path) => mkdirSync(path), /has neither model\.safetensors nor/],
    [
      "other content",
      (path) => writeFileSync(path, "not a header"),
      /model\.safetensors cannot be read: not a safetensors file/,
    ],
    [
      "an index of something else",
      (path) => writeFileSync(`${path}.index.json`, JSON.stringify({ weight_map: { a: "../b" } })),
      /model\.safetensors\.index\.json is not an index of safetensors files\.$/,
    ],
    [
      "an index without its file",
      (path) => writeFileSync(`${path}.index.json`, JSON.stringify({ weight_map: { a: "b.safetensors" } })),
      /b\.safetensors cannot be read: ENOENT/,
    ],
  ])("is refused for %s", async (_, make, problem) => {
    const path = join(folder, "model.safetensors");
    rmSync(path);
    make(path);
    await expect(convert()).rejects.toMatchObject({ name: "EngineError", code: "engine_error" });
    await expect(convert()).rejects.toThrow(problem);
  });
});

describe("a GGUF file as the model in use", () => {
  it("is described by its metadata", async () => {
    expect(template).toMatchObject({ architecture: "llama", contextLength: 131_072, rotaryFactors: undefined });
    expect([template.number("attention.head_count"), template.number("none.of.these")]).toEqual([2, undefined]);
    expect([template.text("rope.scaling.type"), template.text("block_count")]).toEqual([undefined, undefined]);
    const { version, alignment, split, pairs } = template.metadata;
    expect({ version, alignment, split, pairs }).toEqual({ version: 3, alignment: 32, split: false, pairs: 21n });
    expect(template.tensors.get("output.weight")).toEqual({ name: "output.weight", shape: [64, 512], type: 0 });
  });

  it("has texts and an alignment of its own, if it names them", async () => {
    const string = (value: string) => ({ type: "string", value }) as const;
    const metadata = new Map<string, GgufValue>([
      ["general.architecture", string("llama")],
      ["llama.rope.scaling.type", string("yarn")],
      ["general.alignment", { type: "u32", value: 64 }],
      ["tokenizer.ggml.tokens", { type: "strings", value: ["a", "b"] }],
    ]);
    const { template: read } = await readTemplate(encodeGguf(metadata, []));
    expect(read.text("rope.scaling.type")).toBe("yarn");
    expect(read.metadata.alignment).toBe(64);
    expect(read.tensors.size).toBe(0);
  });

  it("fails to be read if it has become shorter", async () => {
    const { info } = await readTemplate(GGUF);
    const path = join(makeFolder(), "short.gguf");
    writeFileSync(path, GGUF.subarray(0, 1000));
    await expect(readModelTemplate(info, path)).rejects.toThrow(`${path} ended while it was read.`);
  });
});
