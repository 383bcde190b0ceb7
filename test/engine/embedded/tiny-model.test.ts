import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import type { LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SPECIAL_TOKENS, TINY } from "../../../src/engine/embedded/tiny-model/architecture.js";
import { trainBytePairs } from "../../../src/engine/embedded/tiny-model/bpe.js";
import { ensureTinyModel, TINY_MODEL_VERSION, type TinyModel } from "../../../src/engine/embedded/tiny-model/ensure.js";
import { tinyModelFiles } from "../../../src/engine/embedded/tiny-model/tiny-model-files.js";
import { cacheFolder } from "../../../src/support/cache-folder.js";

let cache: string;
let tiny: TinyModel;

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), "rolltape-tiny-"));
  tiny = await ensureTinyModel(cache);
});
afterAll(() => rm(cache, { recursive: true, force: true }));

describe("the cache folder", () => {
  it("is $ROLLTAPE_CACHE_DIR, else under $XDG_CACHE_HOME, else under the home folder", () => {
    expect(cacheFolder({ ROLLTAPE_CACHE_DIR: "/a/b", XDG_CACHE_HOME: "/c" })).toBe("/a/b");
    expect(cacheFolder({ XDG_CACHE_HOME: "/c" })).toBe("/c/rolltape");
    expect(cacheFolder({})).toMatch(/\.cache\/rolltape$/);
  });
});

describe("ensureTinyModel", () => {
  it("creates one complete folder for concurrent calls, and leaves no draft behind", async () => {
    const busy = await mkdtemp(join(tmpdir(), "rolltape-tiny-"));
    const models = await Promise.all(Array.from({ length: 8 }, () => ensureTinyModel(busy)));
    expect(new Set(models.map(({ folder }) => folder)).size).toBe(1);
    expect(await readdir(busy)).toEqual([`tiny-model-${TINY_MODEL_VERSION}`]);
    expect((await readdir(models[0]?.folder ?? "")).sort()).toEqual([...tinyModelFiles().keys()].sort());
    await rm(busy, { recursive: true });
  });

  it("fails if the folder cannot be made, and leaves no draft behind", async () => {
    const broken = await mkdtemp(join(tmpdir(), "rolltape-tiny-"));
    const name = `tiny-model-${TINY_MODEL_VERSION}`;
    await symlink(join(broken, "absent"), join(broken, name));
    await expect(ensureTinyModel(broken)).rejects.toThrow("rename");
    expect(await readdir(broken)).toEqual([name]);
    await rm(broken, { recursive: true });
  });

  it("keeps an existing folder", async () => {
    const before = await stat(tiny.gguf);
    expect(await ensureTinyModel(cache)).toEqual(tiny);
    expect((await stat(tiny.gguf)).ino).toBe(before.ino);
  });

  it("rejects if the cache folder cannot be written", async () => {
    await expect(ensureTinyModel(join(tiny.gguf, "cache"))).rejects.toThrow(/ENOTDIR/);
  });

  it("generates the content that belongs to its version", () => {
    const hash = createHash("sha256");
    for (const [name, bytes] of tinyModelFiles()) hash.update(name).update(bytes);
    expect({ version: TINY_MODEL_VERSION, digest: hash.digest("hex").slice(0, 16) }).toEqual({
      version: 4,
      digest: "9344b2ad6a928a09",
    });
  });
});

describe("trainBytePairs", () => {
  it("refuses a corpus that is too small for the requested size", () => {
    expect(() => trainBytePairs("ab ab", 400)).toThrow(/257 of 400|258 of 400/);
  });

  it("merges the most frequent pair first; ties in sorted order", () => {
    expect(trainBytePairs("aab aab cd cd", 258).merges).toEqual([
      ["a", "a"],
      ["aa", "b"],
    ]);
  });
});

describe("llama.cpp's and Hugging Face's tokenizer of the tiny model", () => {
  let model: LlamaModel;
  let tokenizer: Tokenizer;

  beforeAll(async () => {
    const { getLlama } = await import("node-llama-cpp");
    const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, progressLogs: false });
    model = await llama.loadModel({ modelPath: tiny.gguf, gpuLayers: 0 });
    tokenizer = new Tokenizer(await readJson("tokenizer.json"), await readJson("tokenizer_config.json"));
    return () => llama.dispose();
  });

  const encode = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids;

  /** Characters of old scripts: for new ones, Unicode versions differ in which characters are letters. */
  const character = fc
    .oneof(
      ...[
        [0x01, 0x7f],
        [0xa0, 0x17f],
        [0x391, 0x3a1],
        [0x410, 0x44f],
        [0x5d0, 0x5ea],
        [0x300, 0x30f],
        [0x2000, 0x200a],
        [0x4e00, 0x9fa5],
        [0x1f300, 0x1f4ff],
      ].map(([min = 0, max = 0]) => fc.integer({ min, max })),
    )
    .map((code) => String.fromCodePoint(code));

  it("encode any text to the same ids, including control tokens", () => {
    const piece = fc.constantFrom(
      ...SPECIAL_TOKENS,
      "<tool_call>",
      "\n",
      "  ",
      " the",
      "don't ",
      "It'S",
      "12",
      "1\n\n",
    );
    const text = fc.array(fc.oneof(character, character, piece)).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (sample) => {
        expect(encode(sample)).toEqual(Array.from(model.tokenize(sample, true)));
      }),
      { numRuns: 500 },
    );
  });

  it("decode every id to the same text, which is never empty", () => {
    const ids = Array.from(model.iterateAllTokens());
    expect(ids).toHaveLength(TINY.vocabSize);
    for (const id of ids) {
      const text = model.detokenize([id], true);
      expect(text).not.toBe("");
      expect(tokenizer.decode([id], { skip_special_tokens: false, clean_up_tokenization_spaces: false })).toBe(text);
    }
  });

  it("agree on the model's context length", async () => {
    const config = await readJson("config.json");
    expect(model.trainContextSize).toBe(config["max_position_embeddings"]);
    expect(model.trainContextSize).toBeGreaterThanOrEqual(16_384);
  });
});

describe("the chat template", () => {
  const tools = [{ type: "function", function: { name: "search", parameters: { type: "object" } } }];
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "1", type: "function", function: { name: "search", arguments: { query: "x" } } }],
    },
    { role: "tool", tool_call_id: "1", content: "found" },
    { role: "assistant", content: "done" },
    { role: "user", content: "thanks" },
  ];

  async function render(values: Record<string, unknown>): Promise<string> {
    const config = await readJson("tokenizer_config.json");
    return new Template(String(config["chat_template"])).render(values);
  }

  it("renders ChatML", async () => {
    expect(await render({ messages: messages.slice(0, 2), add_generation_prompt: true })).toBe(
      "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it("renders tools, calls and results", async () => {
    const text = await render({ messages, tools });
    expect(text).toContain('<tools>\n{"type": "function", "function": {"name": "search"');
    expect(text).toContain('<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call><|im_end|>');
    expect(text).toContain("<tool_response>\nfound\n</tool_response>");
    expect(text.match(/Be brief\./g)).toHaveLength(1);
  });

  it("renders a prefix of the longer conversation when messages are added", async () => {
    for (const declared of [undefined, tools]) {
      const whole = await render({ messages, tools: declared });
      for (let n = 1; n < messages.length; n++) {
        expect(whole.startsWith(await render({ messages: messages.slice(0, n), tools: declared }))).toBe(true);
      }
    }
  });
});

async function readJson(name: string): Promise<Record<string, unknown>> {
  const value: unknown = JSON.parse(await readFile(join(tiny.folder, name), "utf8"));
  return Object(value);
}
