import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  listParts,
  type MessageContent,
  type MessagePart,
  sameContent,
  toContent,
} from "../../src/conversation/content.js";
import { showAsText } from "../../src/conversation/media.js";

const image = (digit: string, width = 4): MessagePart => ({
  type: "image",
  sha256: digit.repeat(64),
  mediaType: "image/png",
  width,
  height: 3,
});
const text = (value: string): MessagePart => ({ type: "text", text: value });

describe("a content", () => {
  it("of text alone is a text, however many parts it came in", () => {
    expect(toContent([])).toBe("");
    expect(toContent([text("a"), text(""), text(" b\n")])).toBe("a b\n");
  });

  it("with an image is a list in which texts that follow each other are joined and empty ones left out", () => {
    expect(toContent([text(""), text("a"), text("b"), image("1"), text(""), image("2"), text(""), text("c")])).toEqual([
      text("ab"),
      image("1"),
      image("2"),
      text("c"),
    ]);
  });

  it("is shown as text with a placeholder for each image", () => {
    expect(showAsText("a")).toBe("a");
    expect(showAsText([text("see "), image("1"), image("2"), text("!")])).toBe("see [image][image]!");
  });

  it.each<[string, MessageContent, MessageContent]>([
    ["a text", "a", "b"],
    ["the text of a part", [text("a"), image("1")], [text("b"), image("1")]],
    ["the digest", [image("1")], [image("2")]],
    ["the media type", [image("1")], [{ ...image("1"), mediaType: "image/jpeg" } as MessagePart]],
    ["the width", [image("1")], [image("1", 5)]],
    ["the height", [image("1")], [{ ...image("1"), height: 4 } as MessagePart]],
    ["a further part", [image("1")], [image("1"), text("a")]],
    ["a text of as many characters as parts", "a", [image("1")]],
    ["a placeholder that a user wrote", "[image]", [image("1")]],
  ])("differs from another one in %s", (_, a, b) => {
    expect(sameContent(a, b)).toBe(false);
    expect(sameContent(b, a)).toBe(false);
  });

  it("is the same as another one with equal parts", () => {
    expect(sameContent([text("a"), image("1")], [text("a"), image("1")])).toBe(true);
    expect(sameContent("a", "a")).toBe(true);
  });

  // A model to compare with: a content is a sequence of characters and images.
  const part = fc.oneof(
    fc.constantFrom("", "a", "b", "ab").map(text),
    fc.constantFrom("1", "2").map((d) => image(d)),
  );
  const parts = fc.array(part, { maxLength: 6 });
  const spell = (list: readonly MessagePart[]): string =>
    list.map((each) => (each.type === "text" ? each.text : `<${each.sha256}>`)).join("");

  it("shows random parts as they are, and is the same for two lists exactly if they show the same", () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const [one, other] = [toContent(a), toContent(b)];
        expect(spell(listParts(one))).toBe(spell(a));
        expect(typeof one === "string").toBe(a.every(({ type }) => type === "text"));
        expect(sameContent(one, other)).toBe(spell(a) === spell(b));
      }),
      { numRuns: 1000 },
    );
  });
});
