import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { addedTokenSchema } from "../../../src/model/tokenizer/added-token.js";
import { LibraryTokenizer } from "../../../src/model/tokenizer/library-tokenizer.js";
import type { TokenizerFiles } from "../../../src/model/tokenizer/piece-encoder.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import { eventLoop } from "../../../src/support/async/event-loop.js";
import { countIterations } from "../../helpers/iterations.js";
import { type AddedTokenSpec, byteLevelTokenizer, metaspaceTokenizer } from "../support/bpe.js";
import { joinIds } from "../support/model-folder.js";

const ADDED: AddedTokenSpec[] = [
  { content: "<|end|>" },
  { content: "<|start|>" },
  { content: "<|end|><|end|>" },
  { content: "<think>", special: false },
  { content: "<strip>", lstrip: true, rstrip: true },
  { content: "<right>", rstrip: true },
  { content: "<left>", lstrip: true },
  { content: "<norm>", special: false, normalized: true },
];

type TokenizerJson = ReturnType<typeof byteLevelTokenizer> | ReturnType<typeof metaspaceTokenizer>;

function files(json: TokenizerJson): TokenizerFiles {
  return {
    tokenizer: { ...json, added_tokens: json.added_tokens.map((token) => addedTokenSchema.parse(token)) },
    config: { clean_up_tokenization_spaces: true },
  };
}

const KINDS: [string, TokenizerFiles][] = [
  ["byte-level BPE with NFC", files(byteLevelTokenizer(ADDED))],
  ["byte-level BPE without normalizer", files(byteLevelTokenizer(ADDED, null))],
  ["byte-level BPE with an empty normalizer", files(byteLevelTokenizer(ADDED, { type: "Sequence", normalizers: [] }))],
  ["BPE with a space before the first section", files(metaspaceTokenizer(ADDED))],
];

const piece = fc.oneof(
  fc.constantFrom(
    ...ADDED.map((token) => token.content),
    " ",
    "\n",
    "\n\n",
    "  ",
    "the ",
    "weather",
    "<|",
    "|>",
    "e\u0301",
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
const text = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join("").toWellFormed());

describe.each(KINDS)("%s", (_, tokenizerFiles) => {
  const tokenizer = new Tokenizer(tokenizerFiles, 1 << 20);
  const library = new LibraryTokenizer(tokenizerFiles.tokenizer, tokenizerFiles.config);
  const whole = (value: string): readonly (number | undefined)[] =>
    library.encode(value, { add_special_tokens: false }).ids;

  it("encodes in pieces to the same ids as the whole", async () => {
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect(joinIds(await tokenizer.encode(value))).toEqual(whole(value));
      }),
      { numRuns: 1500 },
    );
  });

  it("encodes a text after a token to the same ids as in place", async () => {
    const after = fc.constantFrom("<|end|>", "<right>", "<|start|>");
    await fc.assert(
      fc.asyncProperty(text, after, async (value, token) => {
        fc.pre(!(token + value).startsWith("<|end|><|end|>"));
        expect(joinIds(await tokenizer.encode(value, token))).toEqual(whole(token + value).slice(1));
      }),
      { numRuns: 500 },
    );
  });

  it("makes a piece of every message of a chat", async () => {
    expect(await tokenizer.encode("<|start|>user\nhi<|end|>\n<|start|>assistant\n")).toHaveLength(3);
  });
});

describe("byte-level BPE", () => {
  const tokenizerFiles = files(byteLevelTokenizer(ADDED));
  const tokenizer = new Tokenizer(tokenizerFiles, 1 << 20);
  const findId = (token: string): number => tokenizer.findId(token) ?? -1;

  it("decodes what it encodes", async () => {
    const plain = fc.string({ unit: "grapheme" }).map((value) => value.normalize("NFC"));
    await fc.assert(
      fc.asyncProperty(plain, async (value) => {
        const ids = Int32Array.from(joinIds(await tokenizer.encode(value)));
        expect(tokenizer.decode(ids, { skipSpecialTokens: false })).toBe(value);
      }),
    );
  });

  it("omits special tokens if requested, and keeps white space", async () => {
    const ids = Int32Array.from(joinIds(await tokenizer.encode("<|start|>hello , it 's<think><|end|>\n")));
    expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe("hello , it 's<think>\n");
    expect(tokenizer.decode(ids, { skipSpecialTokens: false })).toBe("<|start|>hello , it 's<think><|end|>\n");
    expect(tokenizer.decode(new Int32Array(), { skipSpecialTokens: true })).toBe("");
    expect(tokenizer.decode(Int32Array.of(findId("<|end|>"), 1_000_000), { skipSpecialTokens: true })).toBe("");
  });

  it("encodes the spelling of a special token as that token, like Python", async () => {
    expect(joinIds(await tokenizer.encode("<|end|>"))).toEqual([findId("<|end|>")]);
  });

  it("makes text well-formed before it encodes it", async () => {
    expect(joinIds(await tokenizer.encode("a\ud800b"))).toEqual(joinIds(await tokenizer.encode("a\ufffdb")));
  });

  it("adds no token", async () => {
    expect(await tokenizer.encode("")).toEqual([]);
  });

  it("finds the longest added token at the start of a text", () => {
    expect(tokenizer.addedTokenAt("<|end|><|end|>x")).toBe("<|end|><|end|>");
    expect(tokenizer.addedTokenAt("x<|end|>")).toBeUndefined();
  });
});

describe("the cache of pieces", () => {
  const tokenizerFiles = files(byteLevelTokenizer(ADDED));

  it("encodes only the new message of a growing chat", async () => {
    const tokenizer = new Tokenizer(tokenizerFiles, 1 << 20);
    let chat = "";
    for (let turn = 0; turn < 10; turn++) {
      chat += `<|start|>user\nmessage ${turn} of the chat<|end|>`;
      const before = tokenizer.cacheStats.misses;
      await tokenizer.encode(chat);
      expect(tokenizer.cacheStats.misses - before).toBeLessThanOrEqual(2);
    }
    expect(tokenizer.cacheStats.hits).toBeGreaterThan(50);
  });

  it("stays within its limit", async () => {
    const tokenizer = new Tokenizer(tokenizerFiles, 10_000);
    for (let i = 0; i < 500; i++) await tokenizer.encode(`text number ${i} ${"x".repeat(i)}`);
    expect(tokenizer.cacheStats.bytes).toBeGreaterThan(1000);
    expect(tokenizer.cacheStats.bytes).toBeLessThanOrEqual(10_000);
  });

  it("caches nothing with a limit of 0", async () => {
    const tokenizer = new Tokenizer(tokenizerFiles, 0);
    await tokenizer.encode("hello");
    await tokenizer.encode("hello");
    expect(tokenizer.cacheStats).toEqual({ hits: 0, misses: 2, bytes: 0, maxBytes: 0 });
  });
});

it("leaves turns to other work while it encodes a text of many added tokens", async () => {
  const tokenizer = new Tokenizer(files(byteLevelTokenizer(ADDED)), 1 << 20);
  const { result, iterations } = await countIterations(() => tokenizer.encode("<|start|>".repeat(20_000)));
  expect(joinIds(result)).toHaveLength(20_000);
  expect(iterations).toBeGreaterThanOrEqual(4);
  await tokenizer.close();
});

it("cuts at most 2048 pieces between two turns of other work", async () => {
  const tokenizer = new Tokenizer(files(byteLevelTokenizer(ADDED)), 1 << 20);
  const text = "<|start|>".repeat(50_000);
  await tokenizer.encode("<|start|>");
  const search = vi.spyOn(RegExp.prototype, "exec");
  const searches: number[] = [];
  vi.spyOn(eventLoop, "yield").mockImplementation(() => {
    searches.push(search.mock.calls.length);
    search.mockClear();
    return Promise.resolve();
  });
  const { idPieces } = await tokenizer.encodeParts([text]);
  searches.push(search.mock.calls.length);
  vi.restoreAllMocks();
  expect(joinIds(idPieces)).toHaveLength(50_000);
  expect(Math.max(...searches)).toBeLessThanOrEqual(2100);
  await tokenizer.close();
});

it("encodes the same pieces once for texts that are encoded at the same time", async () => {
  const tokenizer = new Tokenizer(files(byteLevelTokenizer(ADDED)), 1 << 20);
  const text = Array.from({ length: 9_000 }, (_, i) => `<|start|>${i % 6_000}`).join("");
  const [first, second] = await Promise.all([tokenizer.encode(text), tokenizer.encode(text)]);
  const single = await Promise.all(
    text
      .split(/(?=<\|start\|>)/)
      .slice(0, 50)
      .map((piece) => tokenizer.encode(piece)),
  );
  expect(joinIds(first).join() === joinIds(second).join()).toBe(true);
  expect(joinIds(first).join().startsWith(joinIds(single.flat()).join())).toBe(true);
  await tokenizer.close();
});
