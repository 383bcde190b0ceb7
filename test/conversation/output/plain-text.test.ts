import { describe, expect, it } from "vitest";
import { Vocabulary } from "../../../src/conversation/output/detokenizer/vocabulary.js";
import type { OutputEnd, OutputParserOptions } from "../../../src/conversation/output/output-parser.js";
import { TokenOutputParser } from "../../../src/conversation/output/token-output-parser.js";
import { addedTokenSchema } from "../../../src/conversation/tokenizer/added-token.js";
import { Tokenizer } from "../../../src/conversation/tokenizer/tokenizer.js";
import { type AddedTokenSpec, byteLevelTokenizer, metaspaceTokenizer } from "../support/bpe.js";

const ADDED: AddedTokenSpec[] = [
  { content: "<|end|>" },
  { content: "<|x|>" },
  { content: "<plain>", special: false },
  { content: "<|wide｜>" },
];

interface Text {
  readonly vocabulary: Vocabulary;
  readonly tokenizer: Tokenizer;
  readonly size: number;
}

type TokenizerJson = ReturnType<typeof byteLevelTokenizer | typeof metaspaceTokenizer>;

function load(json: TokenizerJson, decoder: unknown = json.decoder): Text {
  const added_tokens = json.added_tokens.map((token) => addedTokenSchema.parse(token));
  const file = { ...json, added_tokens, decoder };
  const tokenizer = new Tokenizer({ tokenizer: file, config: {} }, 1 << 20);
  return {
    vocabulary: new Vocabulary(file, tokenizer),
    tokenizer,
    size: Object.keys(json.model.vocab).length + ADDED.length,
  };
}

const STRIP = { type: "Strip", content: " ", start: 1, stop: 0 };
const byteLevel = load(byteLevelTokenizer(ADDED));
const metaspace = metaspaceTokenizer(ADDED);
const TEXTS: Record<string, Text> = {
  "byte-level": byteLevel,
  "byte fallback": load(metaspace),
  "byte fallback that strips a space": load(metaspace, {
    ...metaspace.decoder,
    decoders: [...metaspace.decoder.decoders, STRIP],
  }),
  Metaspace: load(metaspace, { type: "Metaspace", replacement: "▁", prepend_scheme: "always" }),
  "a decoder of another kind": load(metaspace, { type: "WordPiece", prefix: "##", cleanup: false }),
};

/** A small generator of reproducible numbers below `n`. */
function numbers(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Ids in pushes of 1 to 4. */
function chunks(ids: readonly number[], next: (n: number) => number): Int32Array[] {
  const out: Int32Array[] = [];
  for (let at = 0; at < ids.length; ) {
    const size = 1 + next(4);
    out.push(Int32Array.from(ids.slice(at, at + size)));
    at += size;
  }
  return out;
}

const NONE: OutputParserOptions = { tools: [], stop: [], stopTokenIds: [], promptEnd: "" };

function read(
  text: Text,
  pushes: readonly Int32Array[],
  options: Partial<OutputParserOptions>,
  end: OutputEnd = "stop",
) {
  const parser = new TokenOutputParser(text.vocabulary, { ...NONE, ...options });
  const told = pushes.map((ids) => parser.push(ids).map((event) => ("text" in event ? event.text : "?")));
  const { events, output } = parser.finish(end);
  told.push(events.map((event) => ("text" in event ? event.text : "?")));
  return { told: told.map((each) => each.join("")), ...output, stopped: parser.stopped };
}

describe.each(Object.entries(TEXTS))("the text of an output, %s", (_, text) => {
  it("is what a whole decode without special tokens gives, however the tokens come", () => {
    const next = numbers(1);
    for (let round = 0; round < 300; round++) {
      // Half of the tokens are single bytes: characters, broken ones and halves.
      const ids = Array.from({ length: next(12) }, () => (next(2) === 0 ? next(257) : next(text.size + 2)));
      const whole = text.tokenizer.decode(Int32Array.from(ids), { skipSpecialTokens: true });
      const { told, message } = read(text, chunks(ids, next), {});
      expect(told.join("")).toBe(whole);
      expect(message).toEqual({ role: "assistant", content: whole });
    }
  });

  // A decoder of another kind tells its text at the end, without special tokens.
  it.runIf(text.vocabulary.decoder)("ends before the first stop string, however the tokens come", () => {
    const next = numbers(2);
    const stops = [["fox"], ["the ", "he"], [". a", "\n\n"], ["ö", "�"], ["<|x|>"], ["x|> ", "aaab"], ["n<plain>"]];
    for (let round = 0; round < 200; round++) {
      const stop = stops[next(stops.length)] ?? [];
      const words = Array.from(
        { length: next(6) },
        () => ["the fox", ". a", "ö", "<|x|>", " aaaaab", "<plain>"][next(6)],
      );
      const ids = text.tokenizer.encode(`a${words.join("")}`).flatMap((piece) => [...piece]);
      const { content, found } = stoppedText(text, ids, stop);
      const { told, stopString, stopped } = read(text, chunks(ids, next), { stop });
      expect(told.join("")).toBe(content);
      expect([stopString, stopped]).toEqual([found, found !== undefined]);
    }
  });
});

/** The plain way: the text grows by one token, and is searched anew for the stop string that ends first. */
function stoppedText(text: Text, ids: readonly number[], stops: readonly string[]) {
  const decode = (skipSpecialTokens: boolean, length = ids.length): string =>
    text.tokenizer.decode(Int32Array.from(ids.slice(0, length)), { skipSpecialTokens });
  const all = decode(false);
  for (let end = 1; end <= all.length; end++) {
    const found = stops.filter((stop) => all.slice(0, end).endsWith(stop)).sort((a, b) => b.length - a.length)[0];
    if (found === undefined) continue;
    const kept = all.slice(0, end - found.length);
    // Special tokens are not shown, nor is what a stop string leaves of one.
    const shown = kept
      .replaceAll("<|x|>", "")
      .replace(/<\|?x?\|?$/, (rest) => (all.startsWith("<|x|>", kept.length - rest.length) ? "" : rest));
    return { content: shown, found };
  }
  return { content: decode(true), found: undefined };
}

describe("text that is told while it grows", () => {
  const text = byteLevel;
  const ids = (of: string): Int32Array => Int32Array.from(text.tokenizer.encode(of).flatMap((piece) => [...piece]));

  it("has only whole characters", () => {
    const bytes = [...ids("€ö")];
    const { told } = read(
      text,
      bytes.map((id) => Int32Array.of(id)),
      {},
    );
    expect(told).toEqual(["", "", "€", "", "ö", ""]);
  });

  it("holds what may become a stop string, and no more", () => {
    const pushes = ["x", "a", "a", "a", "b", "c"].map(ids);
    expect(read(text, pushes, { stop: ["aab"] }).told).toEqual(["x", "", "", "a", "", "", ""]);
    expect(read(text, pushes, { stop: ["aac"] }).told).toEqual(["x", "", "", "a", "aab", "c", ""]);
    expect(read(text, pushes, { stop: ["bcd"] }).told).toEqual(["x", "a", "a", "a", "", "", "bc"]);
  });

  it("leaves the token out that ended the output, and no other", () => {
    const end = text.tokenizer.idOf("<plain>") ?? 0;
    const pushes = [Int32Array.of(...ids("a"), end), Int32Array.of(...ids("b"), end)];
    expect(read(text, pushes, { stopTokenIds: [end] }).told).toEqual(["a", "<plain>b", ""]);
    expect(read(text, pushes, { stopTokenIds: [end] }, "length").told).toEqual(["a", "<plain>b", "<plain>"]);
  });
});
