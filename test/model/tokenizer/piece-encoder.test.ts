import { describe, expect, it } from "vitest";
import { createPieceEncoder, TokenizerError } from "../../../src/model/tokenizer/piece-encoder.js";
import { byteLevelTokenizer } from "../support/bpe.js";

describe("a text without breaks", () => {
  const files = { tokenizer: { ...byteLevelTokenizer([]), added_tokens: [] }, config: {} };
  const encoder = createPieceEncoder(files, () => {
    throw new Error("byte-level BPE needs no library");
  });

  it("is encoded if it has some 100,000 characters", () => {
    expect(encoder.encode("語".repeat(100_000)).length).toBeGreaterThan(0);
  });

  it("is refused if it has tens of millions, on which V8's regular expressions fail", () => {
    const text = "語".repeat(24_000_000);
    const refused = () => encoder.encode(text);
    expect(refused).toThrow(TokenizerError);
    expect(refused).toThrow("a text of 24000000 characters has too few breaks, such as spaces");
  });
});
