import { describe, expect, it } from "vitest";
import type { PlacedImage } from "../../../src/conversation/content.js";
import { countShared, requirePlaces, shareImages, shareTokens } from "../../../src/session/turn/prompt-images.js";

const image = (offset: number, fields: Partial<PlacedImage> = {}): PlacedImage => ({
  sha256: "a".repeat(64),
  mediaType: "image/png",
  width: 4,
  height: 3,
  offset,
  length: 2,
  ...fields,
});

describe("the places of images in a prompt of ten tokens", () => {
  it.each<[string, PlacedImage[]]>([
    ["none", []],
    ["at both ends", [image(0), image(8)]],
    ["side by side", [image(3), image(5)]],
  ])("may be %s", (_, images) => {
    expect(() => requirePlaces(images, 10)).not.toThrow();
  });

  it.each<[string, PlacedImage[], string]>([
    ["before its start", [image(-1)], "images[0] must have tokens between 0 and 10; received offset -1 and length 2"],
    ["after its end", [image(9)], "images[0] must have tokens between 0 and 10; received offset 9 and length 2"],
    ["empty", [image(1, { length: 0 })], "images[0] must have tokens between 0 and 10; received offset 1 and length 0"],
    ["between tokens", [image(1.5)], "images[0] must"],
    ["fractions of tokens", [image(1, { length: 1.5 })], "images[0] must"],
    ["overlapping", [image(1), image(2)], "images[1] must have tokens between 3 and 10; received offset 2"],
  ])("are refused if they are %s", (_, images, message) => {
    expect(() => requirePlaces(images, 10)).toThrow(message);
  });
});

describe("equal tokens of two prompts", () => {
  const other = { sha256: "b".repeat(64) };

  it.each<[string, number, PlacedImage[] | undefined, PlacedImage[] | undefined, boolean]>([
    ["without images", 10, undefined, undefined, true],
    ["with the same image", 10, [image(1)], [image(1)], true],
    ["of which only one has an image", 10, [image(1)], undefined, false],
    ["of which only the other has an image", 10, undefined, [image(1)], false],
    ["of which one has an image after them", 5, [image(5)], undefined, true],
    ["of which the other has an image at their end", 5, undefined, [image(4)], false],
    ["with the same image up to their end", 3, [image(1)], [image(1)], true],
    ["with an image in part", 2, [image(1)], [image(1)], false],
    ["with other files", 10, [image(1)], [image(1, other)], false],
    ["whose second images differ", 10, [image(1), image(4)], [image(1), image(4, other)], false],
    ["whose images after them differ", 4, [image(1), image(4)], [image(1), image(4, other)], true],
  ])("%s are shared or not", (_, shared, images, others, isShared) => {
    expect(shareTokens(shared, images, others)).toBe(isShared);
  });
});

describe("images of a prompt and its parent", () => {
  it.each<Partial<PlacedImage>>([
    { sha256: "b".repeat(64) },
    { offset: 2 },
    { length: 3 },
    { mediaType: "image/jpeg" },
    { width: 5 },
    { height: 5 },
  ])("differ by %j", (change) => {
    expect([countShared([image(1)], [image(1)]), countShared([image(1)], [image(1, change)])]).toEqual([1, 0]);
  });

  it("are the same objects as far as they are equal", () => {
    const parent = [image(1), image(4)];
    expect(shareImages([image(1), image(4)], parent)).toBe(parent);
    const more = shareImages([image(1), image(4), image(7)], parent);
    expect(more).toEqual([image(1), image(4), image(7)]);
    expect(more?.map((each, i) => each === parent[i])).toEqual([true, true, false]);
    const fewer = shareImages([image(1)], parent);
    expect(fewer).toEqual([image(1)]);
    expect(fewer?.[0]).toBe(parent[0]);
    expect([shareImages([], parent), shareImages(undefined, parent), shareImages([image(1)], undefined)]).toEqual([
      undefined,
      undefined,
      [image(1)],
    ]);
  });
});
