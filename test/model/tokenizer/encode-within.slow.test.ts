import { describe, expect, it, vi } from "vitest";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { readModelFiles } from "../../../src/model/model-files.js";
import { encodeWithin, TooManyTokensError } from "../../../src/model/tokenizer/encode-within.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import { joinIds } from "../support/model-folder.js";
import { publishedTokenizerFiles } from "../support/published-tokenizers.js";

async function tinyTokenizer(): Promise<Tokenizer> {
  const { tokenizer, tokenizerConfig } = await readModelFiles((await ensureTinyModel()).folder);
  return new Tokenizer({ tokenizer, config: tokenizerConfig }, 0);
}

/** Wraps a tokenizer and collects the texts that it encodes. */
function collectEncoded(tokenizer: Tokenizer) {
  const encoded: string[] = [];
  return {
    encoded,
    slices: (text: string, length: number) => tokenizer.slices(text, length),
    encode: (text: string, after?: string) => {
      encoded.push(text);
      return tokenizer.encode(text, after);
    },
  };
}

const repeatText = (times: number): string =>
  `${"Some words of text. ".repeat(2 * times)}<|im_end|>\n<|im_start|>user\n${"aaaa bbbb ".repeat(times)}`;

describe("encodeWithin", () => {
  it("cuts text into slices with the same ids as the whole", async () => {
    const tokenizer = await tinyTokenizer();
    const text = repeatText(600);
    const whole = joinIds(await tokenizer.encode(text)).join();
    for (const length of [100, 3_000, text.length]) {
      const slices = [...tokenizer.slices(text, length)];
      const odd = slices.slice(0, -1).filter((slice) => slice.length < length || slice.length > 2 * length + 100);
      expect([slices.join("") === text, odd]).toEqual([true, []]);
      const encoded = await Promise.all(slices.map((slice) => tokenizer.encode(slice)));
      expect(encoded.map(joinIds).join() === whole).toBe(true);
    }
    await tokenizer.close();
  });

  it("encodes a text of long tokens slice by slice, and returns it if it fits", { timeout: 120_000 }, async () => {
    const tokenizer = new Tokenizer(publishedTokenizerFiles("qwen3"), 0);
    const text = `${"=".repeat(64)} some words `.repeat(4_000);
    const whole = joinIds(await tokenizer.encode(text, "<|im_end|>"));
    expect(text.length).toBeGreaterThan(8 * whole.length);
    const counted = collectEncoded(tokenizer);
    const within = joinIds(await encodeWithin(counted, text, whole.length, "<|im_end|>"));
    expect(counted.encoded.length).toBeGreaterThan(1);
    expect(within.join() === whole.join()).toBe(true);
    await expect(encodeWithin(tokenizer, text, whole.length - 1)).rejects.toMatchObject({ tokens: whole.length });
    await tokenizer.close();
  });

  it("stops at the limit", async () => {
    const tokenizer = await tinyTokenizer();
    const counted = collectEncoded(tokenizer);
    const text = repeatText(12_000);
    const failure = encodeWithin(counted, text, 1000);
    await expect(failure).rejects.toBeInstanceOf(TooManyTokensError);
    await expect(failure).rejects.toMatchObject({
      tokens: joinIds(await tokenizer.encode(counted.encoded[0] ?? "")).length,
    });
    expect(counted.encoded).toHaveLength(1);
    expect(counted.encoded[0]?.length).toBeLessThan(text.length * 0.6);
    await tokenizer.close();
  });

  it("cuts no more of a text than it encodes", async () => {
    const tokenizer = await tinyTokenizer();
    const count = 200_000;
    const exec = vi.spyOn(RegExp.prototype, "exec");
    const failure = encodeWithin(tokenizer, "<|im_start|>".repeat(count), 1000);
    await expect(failure).rejects.toBeInstanceOf(TooManyTokensError);
    expect(exec.mock.calls.length).toBeLessThan(count / 2);
    exec.mockRestore();
    await tokenizer.close();
  });

  it("encodes a text that may fit in one piece", async () => {
    const tokenizer = await tinyTokenizer();
    const counted = collectEncoded(tokenizer);
    await encodeWithin(counted, "a few words", 2);
    expect(counted.encoded).toEqual(["a few words"]);
    await tokenizer.close();
  });
});
