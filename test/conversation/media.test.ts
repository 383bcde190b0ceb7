import { describe, expect, it } from "vitest";
import type { MessagePart } from "../../src/conversation/content.js";
import { isMedia, type MediaPart, readParts, showContent } from "../../src/conversation/media.js";

const text = (value: string) => ({ type: "text" as const, text: value });
const image: MediaPart = { type: "input_image", kind: "image" };
const shown: MessagePart = { type: "image", sha256: "1".repeat(64), mediaType: "image/png", width: 2, height: 1 };

const refuse = (): never => {
  throw new Error("a text is shown as it is");
};

describe("the parts of a content", () => {
  it("are one text if all of them are text", () => {
    expect(readParts([text("a"), text(""), text("b")])).toBe("ab");
    expect(readParts([])).toBe("");
  });

  it("stay a list if one of them is not text", () => {
    const parts = [text("a"), image];
    expect(readParts(parts)).toEqual({ parts });
    expect(parts.map(isMedia)).toEqual([false, true]);
  });
});

describe("a content", () => {
  it("of text is shown as it is", () => {
    expect(showContent("a", refuse)).toBe("a");
  });

  it("shows what each other part becomes, in its place", () => {
    const content = readParts([text("a"), image, image, text(""), text("b")]);
    const indices: number[] = [];
    const show = (part: MediaPart, index: number) => {
      expect(part).toBe(image);
      indices.push(index);
      return indices.length === 1 ? shown : text("[image]");
    };
    expect(showContent(content, show)).toEqual([text("a"), shown, text("[image]b")]);
    expect(indices).toEqual([1, 2]);
  });
});
