import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { pid, platform } from "node:process";
import { afterAll, describe, expect, it } from "vitest";
import { addedTokenSchema } from "../../../src/model/tokenizer/added-token.js";
import { LibraryTokenizer } from "../../../src/model/tokenizer/library-tokenizer.js";
import type { TokenizerFiles } from "../../../src/model/tokenizer/piece-encoder.js";
import { Tokenizer } from "../../../src/model/tokenizer/tokenizer.js";
import { byteLevelTokenizer, metaspaceTokenizer } from "../support/bpe.js";
import { joinIds } from "../support/model-folder.js";

const ADDED = [{ content: "<|end|>" }, { content: "<|start|>" }];

function files(json: ReturnType<typeof byteLevelTokenizer> | ReturnType<typeof metaspaceTokenizer>): TokenizerFiles {
  return {
    tokenizer: { ...json, added_tokens: json.added_tokens.map((token) => addedTokenSchema.parse(token)) },
    config: {},
  };
}

const KINDS: [string, TokenizerFiles][] = [
  ["our own BPE", files(byteLevelTokenizer(ADDED))],
  ["the library", files(metaspaceTokenizer(ADDED))],
];

const prose = (length: number): string => {
  const sentence = "The quick brown fox, 42 of them, jumps over a lazy dog in Z\u00fcrich\u2026 \u{1f98a}\n";
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
};

describe.each(KINDS)("large texts, encoded by %s on other threads", (_, tokenizerFiles) => {
  const tokenizer = new Tokenizer(tokenizerFiles, 1 << 24);
  const library = new LibraryTokenizer(tokenizerFiles.tokenizer, tokenizerFiles.config);
  const whole = (text: string): readonly (number | undefined)[] =>
    library.encode(text, { add_special_tokens: false }).ids;
  afterAll(() => tokenizer.close());

  it("have the ids of the whole text, in one piece or many", async () => {
    const one = prose(200_000);
    const many = Array.from({ length: 300 }, (__, i) => `<|start|>${i} ${prose(i)}<|end|>`).join("\n");
    for (const text of [one, many, `${many}${one}<|end|>`]) {
      expect(joinIds(await tokenizer.encode(text))).toEqual(whole(text));
    }
  });

  it("are encoded once for concurrent calls, and cached", async () => {
    const text = `${prose(50_000)} asked for by many`;
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => tokenizer.encode(text)));
    for (const other of others) expect(other[0]).toBe(first?.[0]);
    expect((await tokenizer.encode(text))[0]).toBe(first?.[0]);
  });

  it.runIf(platform === "linux")("run on threads with lower priority than the event loop", async () => {
    await tokenizer.encode(`${prose(50_000)} by a thread`);
    const nice = getPriority(pid);
    expect(readdirSync("/proc/self/task").map((id) => getPriority(Number(id)))).toContain(Math.min(19, nice + 10));
  });

  it("do not block the event loop", async () => {
    let isDone = false;
    const encoded = tokenizer.encode(prose(300_000)).then(() => (isDone = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    await encoded;
  });
});
