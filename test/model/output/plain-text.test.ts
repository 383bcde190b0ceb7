import { describe, expect, it } from "vitest";
import type { OutputEnd, OutputParserOptions } from "../../../src/model/output/output-parser.js";
import { type AddedTokenSpec, metaspaceTokenizer } from "../support/bpe.js";
import {
  byteLevelText,
  chunks,
  collectMessage,
  encodeText,
  numbers,
  PLAIN,
  read,
  type TestText,
  testText,
} from "./support/outputs.js";

const ADDED: AddedTokenSpec[] = [
  { content: "<|end|>" },
  { content: "<|x|>" },
  { content: "<plain>", special: false },
  { content: "<|wide｜>" },
];

const STRIP = { type: "Strip", content: " ", start: 1, stop: 0 };
const byteLevel = byteLevelText(ADDED);
const metaspace = metaspaceTokenizer(ADDED);
const TEXTS: Record<string, TestText> = {
  "byte-level": byteLevel,
  "byte fallback": testText(metaspace),
  "byte fallback that strips a space": testText(metaspace, {
    ...metaspace.decoder,
    decoders: [...metaspace.decoder.decoders, STRIP],
  }),
  Metaspace: testText(metaspace, { type: "Metaspace", replacement: "▁", prepend_scheme: "always" }),
  "an unknown decoder": testText(metaspace, { type: "WordPiece", prefix: "##", cleanup: false }),
};

/** Reads an output as text. `told` has the text of each push. */
function readText(
  text: TestText,
  pushes: readonly Int32Array[],
  options: Partial<OutputParserOptions>,
  end?: OutputEnd,
) {
  const reading = read(text, PLAIN, pushes, options, end);
  return { ...reading, told: reading.told.map((events) => collectMessage(events).content) };
}

/** Decoders whose text can be decoded token by token. */
const TOKENWISE = Object.entries(TEXTS).filter(([, { vocabulary }]) => vocabulary.decoder !== undefined);

describe.each(Object.entries(TEXTS))("the text of an output, %s", (_, text) => {
  it("equals a whole decode without special tokens, in pushes of any size", () => {
    const next = numbers(1);
    for (let round = 0; round < 300; round++) {
      // Half of the tokens are single bytes: whole characters, invalid ones and parts.
      const ids = Array.from({ length: next(12) }, () => (next(2) === 0 ? next(257) : next(text.size + 2)));
      const whole = text.tokenizer.decode(Int32Array.from(ids), { skipSpecialTokens: true });
      const { told, message } = readText(text, chunks(ids, next), {});
      expect(told.join("")).toBe(whole);
      expect(message).toEqual({ role: "assistant", content: whole });
    }
  });
});

describe.each(TOKENWISE)("the end of an output, %s", (_, text) => {
  it("comes before the first stop string, in pushes of any size", () => {
    const next = numbers(2);
    const stops = [["fox"], ["the ", "he"], [". a", "\n\n"], ["ö", "�"], ["<|x|>"], ["x|> ", "aaab"], ["n<plain>"]];
    for (let round = 0; round < 200; round++) {
      const stop = stops[next(stops.length)] ?? [];
      const words = Array.from(
        { length: next(6) },
        () => ["the fox", ". a", "ö", "<|x|>", " aaaaab", "<plain>"][next(6)],
      );
      const ids = encodeText(text, `a${words.join("")}`);
      const { content, found } = cutAtStop(text, ids, stop);
      const { told, stopString, stopped } = readText(text, chunks(ids, next), { stop });
      expect(told.join("")).toBe(content);
      expect([stopString, stopped]).toEqual([found, found !== undefined]);
    }
  });
});

/** A simple model: searches each beginning of the text for the stop string that ends first. */
function cutAtStop(text: TestText, ids: readonly number[], stops: readonly string[]) {
  const decode = (skipSpecialTokens: boolean, length = ids.length): string =>
    text.tokenizer.decode(Int32Array.from(ids.slice(0, length)), { skipSpecialTokens });
  const all = decode(false);
  for (let end = 1; end <= all.length; end++) {
    const found = stops.filter((stop) => all.slice(0, end).endsWith(stop)).sort((a, b) => b.length - a.length)[0];
    if (found === undefined) continue;
    const kept = all.slice(0, end - found.length);
    // Special tokens are not shown, and neither is the part of one that a stop string leaves.
    const shown = kept
      .replaceAll("<|x|>", "")
      .replace(/<\|?x?\|?$/, (rest) => (all.startsWith("<|x|>", kept.length - rest.length) ? "" : rest));
    return { content: shown, found };
  }
  return { content: decode(true), found: undefined };
}

describe("text events of a growing output", () => {
  const text = byteLevel;
  const ids = (of: string): Int32Array => Int32Array.from(encodeText(text, of));

  it("contain only whole characters", () => {
    const bytes = [...ids("€ö")];
    const { told } = readText(
      text,
      bytes.map((id) => Int32Array.of(id)),
      {},
    );
    expect(told).toEqual(["", "", "€", "", "ö", ""]);
  });

  it("hold back what may become a stop string, and no more", () => {
    const pushes = ["x", "a", "a", "a", "b", "c"].map(ids);
    expect(readText(text, pushes, { stop: ["aab"] }).told).toEqual(["x", "", "", "a", "", "", ""]);
    expect(readText(text, pushes, { stop: ["aac"] }).told).toEqual(["x", "", "", "a", "aab", "c", ""]);
    expect(readText(text, pushes, { stop: ["bcd"] }).told).toEqual(["x", "a", "a", "a", "", "", "bc"]);
  });

  it("omit the token that ended the output, and no other", () => {
    const end = text.tokenizer.findId("<plain>") ?? 0;
    const pushes = [Int32Array.of(...ids("a"), end), Int32Array.of(...ids("b"), end)];
    expect(readText(text, pushes, { stopTokenIds: [end] }).told).toEqual(["a", "<plain>b", ""]);
    expect(readText(text, pushes, { stopTokenIds: [end] }, "length").told).toEqual(["a", "<plain>b", "<plain>"]);
  });
});
