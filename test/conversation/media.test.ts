import { describe, expect, it } from "vitest";
import type { MessagePart } from "../../src/conversation/content.js";
import { joinParts, listMedia, type MediaKind, readContent } from "../../src/conversation/media.js";

const join = (...parts: (string | MediaKind[])[]) =>
  joinParts(
    parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : { type: `${part[0]}_part`, part })),
    (part) => ("text" in part ? { type: "text", text: part.text ?? "" } : { kind: part.part?.[0] as MediaKind }),
  );

describe("the parts of a content", () => {
  it("are joined to one text", () => {
    expect(join("a", "", "b")).toBe("ab");
    expect(join()).toBe("");
  });

  it("have placeholders for what is not text, and a list of it", () => {
    expect(join("a", ["image"], "b", ["audio"], ["file"])).toEqual({
      content: "a[image]b[audio][file]",
      media: [
        { index: 1, type: "image_part" },
        { index: 3, type: "audio_part" },
        { index: 4, type: "file_part" },
      ],
    });
  });
});

it("keep an image that is read as such, which is listed too, because a policy may refuse it", () => {
  const image: MessagePart = { type: "image", sha256: "1".repeat(64), mediaType: "image/png", width: 2, height: 1 };
  const read = joinParts([{ type: "input_text" }, { type: "input_image" }], ({ type }) =>
    type === "input_image" ? image : { type: "text", text: "see " },
  );
  expect(readContent(read)).toEqual([{ type: "text", text: "see " }, image]);
  expect(listMedia(read)).toEqual([{ index: 1, type: "input_image" }]);
});

describe("a content", () => {
  it("of text alone has no media", () => {
    expect(readContent("a")).toBe("a");
    for (const content of ["a", null, undefined]) expect(listMedia(content)).toEqual([]);
  });

  it("with media has a text and a list", () => {
    const media = [{ index: 0, type: "image_url" }];
    expect(readContent({ content: "[image]", media })).toBe("[image]");
    expect(listMedia({ content: "[image]", media })).toBe(media);
  });
});
