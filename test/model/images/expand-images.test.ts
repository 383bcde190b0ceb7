import { describe, expect, it } from "vitest";
import type { ImagePart } from "../../../src/conversation/content.js";
import { expandImages } from "../../../src/model/images/expand-images.js";
import { ImageModel } from "../../../src/model/images/image-model.js";
import { ImageTokens } from "../../../src/model/images/image-tokens.js";
import { collapseRanges } from "../../../src/support/collapse-ranges.js";

const PAD = 7;
const model = ImageModel.read({
  config: { image_token_id: PAD },
  imageProcessor: { image_processor_type: "Qwen2VLImageProcessor", patch_size: 14, min_pixels: 1, max_pixels: 1e7 },
});
if (!model) throw new Error("the model has no images");
const known = new ImageTokens(model, { engineTells: false, warn: () => undefined });

const image = (width: number, height: number, sha256 = "aa") => ({
  type: "image" as const,
  sha256,
  mediaType: "image/png",
  width,
  height,
});
const ids = (...values: number[]) => Int32Array.from(values);
/** The pieces with the tokens of images, as the model counts them. */
async function expand(pieces: readonly Int32Array[], images: readonly ImagePart[], start: number) {
  const tokens = await known.find(images, () => {
    throw new Error("the engine is not asked");
  });
  return expandImages({ tokenId: PAD, tokens }, pieces, images, start);
}
const join = (pieces: readonly Int32Array[]) => pieces.flatMap((piece) => [...piece]);

describe("expandImages", () => {
  it("replaces each image token by all tokens of its image, and returns their places", async () => {
    const pieces = [ids(1, PAD, 2), ids(3), ids(PAD, PAD, 4)];
    const images = [image(56, 28), image(28, 28, "bb"), image(28, 84, "cc")];
    const expanded = await expand(pieces, images, 100);
    expect(join(expanded.pieces)).toEqual([1, PAD, PAD, 2, 3, PAD, PAD, PAD, PAD, 4]);
    expect(expanded.images).toEqual([
      { sha256: "aa", mediaType: "image/png", width: 56, height: 28, offset: 101, length: 2 },
      { sha256: "bb", mediaType: "image/png", width: 28, height: 28, offset: 105, length: 1 },
      { sha256: "cc", mediaType: "image/png", width: 28, height: 84, offset: 106, length: 3 },
    ]);
    expect(pieces.map((piece) => [...piece])).toEqual([[1, PAD, 2], [3], [PAD, PAD, 4]]);
  });

  it("is undone by collapseRanges", async () => {
    const pieces = [ids(1, PAD, 2, PAD), ids(PAD, 3)];
    const expanded = await expand(pieces, [image(56, 56), image(28, 28), image(84, 84)], 0);
    const whole = Int32Array.from(join(expanded.pieces));
    expect([...collapseRanges(whole, expanded.images)]).toEqual(join(pieces));
  });

  it("returns the same pieces if there are no images", async () => {
    const pieces = [ids(1, 2), ids(3)];
    expect(await expand(pieces, [], 0)).toEqual({ pieces, images: [] });
  });

  it.each([
    ["an image that the template leaves out", [ids(1, PAD)], [image(28, 28), image(28, 28)], /shows 1 of 2 images/],
    ["an image token in a text", [ids(PAD, PAD)], [image(28, 28)], /more image tokens than .* \(1\)/],
    ["a narrow image", [ids(PAD)], [image(28, 8000)], /28 x 8000 pixels is too narrow/],
  ])("refuses %s", async (_, pieces, images, message) => {
    await expect(expand(pieces, images, 0)).rejects.toThrow(message);
  });
});
