import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compareCheckpoints } from "../../../src/model/checkpoint/compare-checkpoints.js";
import { type CheckpointTensor, writeSafetensors } from "../../helpers/tiny-checkpoint.js";

const FILE = "model.safetensors";
const INDEX = "model.safetensors.index.json";
const SHARDS = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"] as const;
const HEAD = "lm_head.weight";
const EMBEDDING = "model.embed_tokens.weight";

const tensor = (name: string, shape: readonly number[], dtype: "F32" | "F16" = "F32"): CheckpointTensor => {
  const elements = shape.reduce((product, extent) => product * extent, 1);
  return { name, dtype, shape: [...shape], bytes: new Uint8Array(elements * (dtype === "F32" ? 4 : 2)) };
};
const layer = (index: number) => [
  tensor(`model.layers.${index}.mlp.up_proj.weight`, [4, 2]),
  tensor(`model.layers.${index}.mlp.down_proj.weight`, [2, 4]),
];
const MODEL = [tensor(EMBEDDING, [8, 2]), ...layer(0), ...layer(1), tensor(HEAD, [8, 2])];
const without = (...names: string[]) => MODEL.filter(({ name }) => !names.includes(name));

let scratch: string;
let folder: string;
let model: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rolltape-compare-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(scratch, "new-"));
  model = await mkdtemp(join(scratch, "model-"));
  await writeModel(MODEL);
});

/** Writes the model that the engine runs. */
async function writeModel(tensors: readonly CheckpointTensor[], config: object = {}): Promise<void> {
  await writeSafetensors(join(model, FILE), tensors);
  await writeFile(join(model, "config.json"), JSON.stringify({ num_hidden_layers: 2, ...config }));
}

const write = (tensors: readonly CheckpointTensor[], name: string = FILE) =>
  writeSafetensors(join(folder, name), tensors);

/** Writes two shards and their index. */
async function writeShards(first: readonly CheckpointTensor[], second: readonly CheckpointTensor[]): Promise<void> {
  await write(first, SHARDS[0]);
  await write(second, SHARDS[1]);
  const names = [...first.map(({ name }) => [name, SHARDS[0]]), ...second.map(({ name }) => [name, SHARDS[1]])];
  await writeFile(join(folder, INDEX), JSON.stringify({ weight_map: Object.fromEntries(names) }));
}

const compare = (path = folder) => compareCheckpoints(path, model, AbortSignal.timeout(60_000));
const problems = async () => {
  const compared = await compare();
  return compared.isCompared ? compared.problems : compared;
};
const reason = async (path?: string) => {
  const compared = await compare(path);
  return compared.isCompared ? compared : compared.reason;
};

describe("a complete checkpoint", () => {
  it("has all tensors in their shapes", async () => {
    await write(MODEL);
    expect(await problems()).toEqual([]);
  });

  it("may have other types and additional tensors", async () => {
    await write([...MODEL.map(({ name, shape }) => tensor(name, shape, "F16")), tensor("value_head.weight", [1, 2])]);
    expect(await problems()).toEqual([]);
  });

  it("may be split into shards, with or without an index", async () => {
    await writeShards(MODEL.slice(0, 3), MODEL.slice(3));
    expect(await problems()).toEqual([]);
    await rm(join(folder, INDEX));
    expect(await problems()).toEqual([]);
  });

  it("may consist of links, as in the cache of Hugging Face", async () => {
    await symlink(join(model, FILE), join(folder, FILE));
    expect(await problems()).toEqual([]);
  });

  it("may lack the output matrix if the model's embeddings are tied", async () => {
    await write(without(HEAD));
    expect(await problems()).toEqual([`${HEAD}: is missing`]);
    for (const config of [{ tie_word_embeddings: true }, { text_config: { tie_word_embeddings: true } }]) {
      await writeModel(MODEL, config);
      expect(await problems()).toEqual([]);
    }
  });

  it("may lack layers that predict further tokens, and computed buffers", async () => {
    const optional = ["mtp.fc.weight", "model.mtp_layers.0.weight", "model.layers.2.eh_proj.weight"];
    const buffers = ["model.layers.0.self_attn.rotary_emb.inv_freq", "h.0.attn.bias", "h.0.attn.masked_bias"];
    await writeModel([...MODEL, ...[...optional, ...buffers].map((name) => tensor(name, [2]))]);
    await write(MODEL);
    expect(await problems()).toEqual([]);
  });
});

describe("an incomplete checkpoint", () => {
  it("lacks tensors", async () => {
    const lost = ["model.layers.0.mlp.up_proj.weight", "model.layers.1.mlp.down_proj.weight"];
    await write(without(...lost));
    expect(await problems()).toEqual(lost.map((name) => `${name}: is missing`));
  });

  it("has tensors of other shapes", async () => {
    await write([...without(EMBEDDING), tensor(EMBEDDING, [9, 2])]);
    expect(await problems()).toEqual([`${EMBEDDING}: has the shape [9, 2] instead of [8, 2]`]);
  });

  it("has an empty folder", async () => {
    expect(await problems()).toEqual(MODEL.map(({ name }) => `${name}: is missing`));
  });

  it("has a file that was cut off, within a tensor or within the header", async () => {
    await write(MODEL);
    const path = join(folder, FILE);
    await truncate(path, 700);
    expect(await problems()).toContainEqual(
      expect.stringMatching(/: lies outside of the file, model.safetensors of 700 bytes$/),
    );
    await truncate(path, 100);
    expect(await problems()).toContain(`${FILE}: not a safetensors file: it ends within its header`);
    await truncate(path, 4);
    expect(await problems()).toContain(`${FILE}: not a safetensors file: it has fewer than 8 bytes`);
  });

  it("has a file with bytes behind its tensors", async () => {
    await write(MODEL);
    await writeFile(join(folder, FILE), "more", { flag: "a" });
    expect(await problems()).toEqual([`${FILE}: has 4 bytes behind its tensors`]);
  });

  it("lacks a shard that the index names", async () => {
    await writeShards(MODEL.slice(0, 5), MODEL.slice(5));
    await rm(join(folder, SHARDS[1]));
    expect(await problems()).toEqual([`${SHARDS[1]}: is missing`, `${HEAD}: is missing`]);
  });

  it.each(["{", "[]", JSON.stringify({ weight_map: { [HEAD]: "../model.safetensors" } })])(
    "has an index that is none: %s",
    async (index) => {
      await write(MODEL);
      await writeFile(join(folder, INDEX), index);
      expect(await problems()).toContain(`${INDEX}: is not an index of safetensors files`);
    },
  );
});

describe("a hostile file", () => {
  it("is refused without being opened if it is a named pipe", async () => {
    execFileSync("mkfifo", [join(folder, FILE)]);
    expect(await problems()).toContain(`${FILE}: it is not a regular file`);
    execFileSync("mkfifo", [join(folder, INDEX)]);
    expect(await problems()).toContain(`${INDEX}: is not an index of safetensors files`);
    execFileSync("mkfifo", [join(folder, "config.json")]);
    expect(await problems()).toContain(`${INDEX}: is not an index of safetensors files`);
  });

  it("is refused if it is a device or a folder", async () => {
    await symlink("/dev/zero", join(folder, FILE));
    expect(await problems()).toContain(`${FILE}: it is not a regular file`);
    await rm(join(folder, FILE));
    await mkdir(join(folder, FILE));
    expect(await problems()).toContain(`${FILE}: it is not a regular file`);
  });

  it("is refused if its header would not fit into memory", async () => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(17n * 2n ** 20n);
    await writeFile(join(folder, FILE), length);
    await truncate(join(folder, FILE), 2 ** 30);
    expect(await problems()).toContain(`${FILE}: not a safetensors file: its header would have 17825792 bytes`);
  });

  it.each(["{", "[1]", '{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', '{"__proto__":1}'])(
    "is refused if its header is %s",
    async (header) => {
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(header.length));
      await writeFile(join(folder, FILE), Buffer.concat([length, Buffer.from(header)]));
      expect(await problems()).toContainEqual(expect.stringMatching(/^model.safetensors: not a safetensors file: /));
    },
  );
});

describe("a folder that cannot be compared", () => {
  it("does not exist here, is a file, or cannot be read", async () => {
    expect(await reason(join(folder, "none"))).toBe("`path` does not exist on the proxy's machine");
    await writeFile(join(folder, "model.gguf"), "GGUF");
    expect(await reason(join(folder, "model.gguf"))).toBe("`path` is not a folder");
    expect(await reason(join(folder, "long".repeat(100)))).toBe("`path` cannot be read by the proxy (ENAMETOOLONG)");
  });

  it("has a LoRA adapter or other formats", async () => {
    await writeFile(join(folder, "pytorch_model.bin"), "");
    expect(await reason()).toBe("`path` has weights that are not safetensors");
    await write([tensor("base_model.model.lm_head.lora_A.weight", [1, 2])], "adapter_model.safetensors");
    await writeFile(join(folder, "adapter_config.json"), "{}");
    expect(await reason()).toBe("`path` has a LoRA adapter");
  });

  it("is quantized in another way than the model", async () => {
    await write(MODEL);
    await writeFile(join(folder, "config.json"), JSON.stringify({ quantization_config: { quant_method: "fp8" } }));
    expect(await reason()).toBe("the weights are quantized differently (`model.path`: none, `path`: fp8)");
  });

  it("is for a model whose folder has no weights, or damaged ones", async () => {
    await write(MODEL);
    await truncate(join(model, FILE), 4);
    expect(await reason()).toBe(
      "`model.path` is damaged (model.safetensors: not a safetensors file: it has fewer than 8 bytes)",
    );
    await rm(join(model, FILE));
    expect(await reason()).toBe("`model.path` has no weights");
  });
});
