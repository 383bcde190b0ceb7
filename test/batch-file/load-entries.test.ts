import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { hasDigest, loadEntries } from "../../src/batch-file/load-entries.js";
import { findSpelling } from "../../src/batch-file/packed-spellings.js";
import { readVocabulary } from "../../src/batch-file/read-vocabulary.js";
import { modelDigest } from "../../src/model/model-digest.js";
import { byteLevelTokenizer } from "../model/support/bpe.js";
import { writeModelFolder } from "../model/support/model-folder.js";

const folderOf = (tokenizer: object) => writeModelFolder("", [], { "tokenizer.json": tokenizer });

/** Returns the spellings of the first tokens, and of two large ids. */
async function readSpellings(vocab: unknown): Promise<(string | undefined)[]> {
  const added = [
    { id: 3, content: "<e>" },
    { id: 2 ** 24 + 1, content: "<far>" },
  ];
  const { spellings } = await readVocabulary(folderOf({ added_tokens: added, model: { vocab } }));
  return [0, 1, 2, 3, 2 ** 24 + 1, 2 ** 24 + 2].map((id) => findSpelling(spellings, id));
}

describe("readVocabulary", () => {
  it.each([
    ["an object", { a: 0, b: 2, text: "1", negative: -1, far: 2 ** 24 + 2 }, ["a", undefined, "b"]],
    [
      "a list of pairs",
      [
        ["a", -1],
        ["b", -2],
        [7, 0],
      ],
      ["a", "b", undefined],
    ],
    ["a list of something else", ["xy", ["b"]], [undefined, "b", undefined]],
    ["no vocabulary", undefined, [undefined, undefined, undefined]],
    ["null", null, [undefined, undefined, undefined]],
  ])("reads %s and the added tokens", async (_, vocab, spellings) => {
    expect(await readSpellings(vocab)).toEqual([...spellings, "<e>", undefined, undefined]);
  });
});

describe("loadEntries", () => {
  it("loads the texts of a model's tokens, and its digest", async () => {
    const folder = folderOf({ ...byteLevelTokenizer([{ content: "<e>" }]), decoder: { type: "ByteLevel" } });
    const { entries, digest } = await loadEntries(folder);
    expect(digest).toBe(await modelDigest(folder));
    const { spellings, added_tokens: added } = await readVocabulary(folder);
    const space = Array.from(spellings.ends, (_, id) => findSpelling(spellings, id)).indexOf("Ġ");
    expect(entries.entry(space)).toEqual({ kind: "text", text: " " });
    expect(entries.entry(added[0]?.id ?? -1)).toMatchObject({ kind: "added", text: "<e>" });
  });

  it("refuses a folder without a tokenizer", async () => {
    const folder = folderOf({});
    rmSync(join(folder, "tokenizer.json"));
    await expect(loadEntries(folder)).rejects.toMatchObject({
      name: "ModelFolderError",
      code: "model_file_missing",
      message: expect.stringContaining("tokenizer.json") as string,
    });
  });
});

describe("hasDigest", () => {
  it("compares the digest of an absolute folder", async () => {
    const folder = folderOf({});
    const digest = await modelDigest(folder);
    expect(await hasDigest(folder, digest)).toBe(true);
    expect(await hasDigest(folder, digest.replaceAll(/[0-9]/g, "a"))).toBe(false);
    expect(await hasDigest(relative(process.cwd(), folder), digest)).toBe(false);
    expect(await hasDigest(`/${folder}`, digest)).toBe(false);
  });

  it.each(["tokenizer.json", "tokenizer_config.json", "chat_template.jinja"])(
    "refuses a folder whose %s is no regular file, but not one without it",
    async (name) => {
      const folder = folderOf({});
      rmSync(join(folder, name));
      const digest = await modelDigest(folder);
      expect(await hasDigest(folder, digest)).toBe(true);
      mkdirSync(join(folder, name));
      expect(await hasDigest(folder, digest)).toBe(false);
    },
  );
});
