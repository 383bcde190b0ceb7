import { describe, expect, it } from "vitest";
import { joinParts, listMedia, type MediaKind, readText } from "../../src/conversation/media.js";

const join = (...parts: (string | MediaKind[])[]) =>
  joinParts(
    parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : { type: `${part[0]}_part`, part })),
    (part) => ("text" in part ? { text: part.text ?? "" } : { kind: part.part?.[0] as MediaKind }),
  );

describe("the parts of a content", () => {
  it("are joined to one text", () => {
    expect(join("a", "", "b")).toBe("ab");
    expect(join()).toBe("");
  });

  it("have placeholders for what is not text, and a list of it", () => {
    expect(join("a", ["image"], "b", ["audio"], ["file"])).toEqual({
      text: "a[image]b[audio][file]",
      media: [
        { index: 1, type: "image_part" },
        { index: 3, type: "audio_part" },
        { index: 4, type: "file_part" },
      ],
    });
  });
});

describe("a content", () => {
  it("of text alone has no media", () => {
    expect(readText("a")).toBe("a");
    for (const content of ["a", null, undefined]) expect(listMedia(content)).toEqual([]);
  });

  it("with media has a text and a list", () => {
    const media = [{ index: 0, type: "image_url" }];
    expect(readText({ text: "[image]", media })).toBe("[image]");
    expect(listMedia({ text: "[image]", media })).toBe(media);
  });
});
