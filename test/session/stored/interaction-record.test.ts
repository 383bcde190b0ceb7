import { describe, expect, it } from "vitest";
import {
  decodeInteraction,
  decodeMessages,
  encodeInteraction,
  type StoredInteraction,
} from "../../../src/session/stored/interaction-record.js";

const STORED: StoredInteraction = {
  native: Uint8Array.from([1, 2, 3, 4]),
  facts: {
    id: "chatcmpl-1",
    api: "chat.completions",
    createdAt: 1,
    finishReason: "stop",
    lastTokenId: 7,
    fallback: undefined,
    toolsKey: "",
  },
  images: {
    inherited: 1,
    added: [{ sha256: "1".repeat(64), mediaType: "image/png", width: 4, height: 3, offset: 2, length: 1 }],
  },
  messages: () => ({
    input: {
      inherited: 2,
      respelled: new Map([[1, { role: "assistant", content: "Grüße" }]]),
      added: [{ role: "user", content: "次" }],
    },
    output: [{ role: "assistant", content: "yes 😀" }],
  }),
  objectBytes: 4096,
  templateArgs: { enable_thinking: false },
  request: "request-1",
};

describe("a stored interaction", () => {
  it("is read as it was written", () => {
    const { messages, native, ...rest } = decodeInteraction(encodeInteraction(STORED));
    const { messages: _, native: tokens, ...expected } = STORED;
    expect(rest).toEqual({ ...expected, facts: { ...expected.facts, fallback: undefined } });
    expect(messages()).toEqual(STORED.messages());
    expect([...native]).toEqual([...tokens]);
  });

  it("reads its bytes again for its messages, once, and does not need the first ones until then", () => {
    const bytes = encodeInteraction(STORED);
    const again = Buffer.from(bytes);
    let reads = 0;
    const read = decodeInteraction(bytes, () => {
      reads++;
      return decodeMessages(again);
    });
    bytes.fill(0);
    expect(reads).toBe(0);
    expect(read.messages()).toEqual(STORED.messages());
    expect(read.messages()).toBe(read.messages());
    expect(reads).toBe(1);
  });

  it("is refused if any bit before its tokens is changed, or if its end is missing", () => {
    const bytes = encodeInteraction(STORED);
    const end = bytes.length - STORED.native.length;
    for (let bit = 0; bit < end * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decodeInteraction(damaged)).toThrow(/checksum is wrong|truncated/);
    }
    for (let length = 0; length < end; length++) {
      expect(() => decodeInteraction(bytes.subarray(0, length))).toThrow(/checksum is wrong|truncated/);
    }
  });
});
