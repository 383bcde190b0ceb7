import { describe, expect, it } from "vitest";
import type { AddedToken } from "../../../src/model/tokenizer/added-token.js";
import { createSplitter } from "../../../src/model/tokenizer/splitter.js";

const token = (content: string, rest: Partial<AddedToken> = {}): AddedToken => ({
  id: 0,
  content,
  special: true,
  lstrip: false,
  rstrip: false,
  normalized: false,
  single_word: false,
  ...rest,
});

describe("a splitter", () => {
  it("cuts right before added tokens", () => {
    const split = createSplitter([token("<a>"), token("<b>")], null);
    expect([...split("x<a>y<b><a>")]).toEqual(["x", "<a>y", "<b>", "<a>"]);
  });

  it("does not cut before a token that removes the white space before it", () => {
    const split = createSplitter([token("<a>"), token("<b>", { lstrip: true })], null);
    expect([...split("x <b>y<a>z")]).toEqual(["x <b>y", "<a>z"]);
  });

  it("cuts a text while the cuts of another text are paused", () => {
    const split = createSplitter([token("<a>")], null);
    const paused = split("one<a>two<a>three")[Symbol.iterator]();
    expect(paused.next().value).toBe("one");
    expect([...split("<a>x<a>")]).toEqual(["<a>x", "<a>"]);
    expect(paused.next().value).toBe("<a>two");
    expect(paused.next().value).toBe("<a>three");
    expect(paused.next().done).toBe(true);
  });
});
