import { describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { estimateCharacters, sumTexts, valueLength } from "../../src/conversation/size.js";

const MARKUP = 16;
const full: Message = {
  role: "assistant",
  content: "1",
  reasoning: "22",
  toolCallId: "4444",
  name: "88888888",
  toolCalls: [
    { id: "i".repeat(16), name: "n".repeat(32), arguments: "a".repeat(64) },
    { id: "", name: "", arguments: "a".repeat(128) },
  ],
};
const TEXTS = 255;

describe("the texts of a message", () => {
  it("are its content, reasoning, name, ids and calls", () => {
    expect(sumTexts(full, (text) => text.length)).toBe(TEXTS);
  });

  it("are measured as asked", () => {
    expect(sumTexts({ role: "user", content: "a" }, (text) => (text === "" ? 0 : 7))).toBe(7);
  });
});

describe("the length of a JSON value", () => {
  it.each<[string, unknown, number]>([
    ["a text", "abc", MARKUP + 3],
    ["a number", 12345, MARKUP],
    ["null", null, MARKUP],
    ["nothing", undefined, MARKUP],
    ["a list", ["abc", 1], 3 * MARKUP + 3],
    ["an object", { key: "abc", other: [] }, 3 * MARKUP + 3 + 8],
    ["nested values", { a: { b: "c" } }, 3 * MARKUP + 3],
  ])("counts the characters and the marks of %s", (_, value, length) => {
    expect(valueLength(value)).toBe(length);
  });
});

describe("the estimated characters of a conversation", () => {
  it("are those of its messages, with marks around each message and call", () => {
    expect(estimateCharacters({ messages: [] })).toBe(0);
    expect(estimateCharacters({ messages: [{ role: "user", content: "abc" }] })).toBe(MARKUP + 3);
    expect(estimateCharacters({ messages: [full, full] })).toBe(2 * (3 * MARKUP + TEXTS));
  });

  it("include marks around each part, and the digests of images", () => {
    const image = { type: "image", sha256: "1".repeat(64), mediaType: "image/png", width: 2, height: 1 } as const;
    const content = [{ type: "text", text: "abc" }, image] as const;
    expect(estimateCharacters({ messages: [{ role: "user", content }] })).toBe(3 * MARKUP + 3 + 64 + 9);
  });

  it("include its tools", () => {
    const tool = { type: "function", function: { name: "f" } } as const;
    expect(estimateCharacters({ messages: [], tools: [tool, tool] })).toBe(2 * valueLength(tool));
  });
});
