import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { divideImage } from "../../../src/model/images/image-grid.js";
import { ImageModel } from "../../../src/model/images/image-model.js";

const RULES = {
  qwen2_5_vl: { patchSize: 14, mergeSize: 2, minPixels: 3136, maxPixels: 12_845_056 },
  qwen3_vl: { patchSize: 16, mergeSize: 2, minPixels: 65_536, maxPixels: 16_777_216 },
  glm4v: { patchSize: 14, mergeSize: 2, minPixels: 12_544, maxPixels: 11_760_000, frames: 2, enlarges: true },
} as const;

type Row = readonly [width: number, height: number, tokens: number, gridHeight: number, gridWidth: number];

/**
 * For each family: the tokens of images of these sizes and the grids of transformers' processor, which a test of the Python package
 * compares with it. vLLM 0.32 answered the same for the Qwen families.
 */
const COUNTS = JSON.parse(
  readFileSync(new URL("../../fixtures/images/token-counts.json", import.meta.url), "utf8"),
) as Record<keyof typeof RULES, readonly Row[]>;

describe.each(["qwen2_5_vl", "qwen3_vl", "glm4v"] as const)("the image tokens of %s", (family) => {
  it.each(COUNTS[family])("%i x %i pixels are %i tokens", (width, height, tokens, rows, columns) => {
    expect(divideImage({ width, height }, RULES[family])).toEqual({ height: rows, width: columns, tokens });
  });
});

describe("divideImage", () => {
  it("makes an image smaller that exceeds the bound", () => {
    expect(divideImage({ width: 8000, height: 6000 }, RULES.qwen2_5_vl)?.tokens).toBe(16_170);
    expect(divideImage({ width: 3840, height: 2160 }, RULES.qwen3_vl)?.tokens).toBe(8160);
  });

  it("takes no image whose sides differ by more than 200 times", () => {
    expect(divideImage({ width: 2000, height: 10 }, RULES.qwen3_vl)?.tokens).toBeGreaterThan(0);
    expect(divideImage({ width: 2001, height: 10 }, RULES.qwen3_vl)).toBeUndefined();
  });
});

describe("ImageModel", () => {
  const config = { image_token_id: 7, video_token_id: 8 };
  const image_processor_type = "Qwen2VLImageProcessorFast";
  const count = (imageProcessor: object, size = { width: 1302, height: 980 }) =>
    ImageModel.read({ config, imageProcessor: { image_processor_type, ...imageProcessor } })?.countTokens(size);

  it("reads the bounds as pixels, as edges, or not at all", () => {
    const pixels = { patch_size: 14, merge_size: 2, min_pixels: 3136, max_pixels: 12_845_056 };
    const edges = { patch_size: 16, size: { shortest_edge: 65_536, longest_edge: 16_777_216 } };
    expect(count(pixels)).toBe(1610);
    expect(count(edges)).toBe(1271);
    expect(count({ ...pixels, size: { shortest_edge: 1, longest_edge: 3136 } })).toBe(1610);
    // 1,003,520 pixels of 28 x 28 are 1,280 tokens at most.
    expect(count({})).toBeLessThanOrEqual(1280);
    expect(count({})).toBeGreaterThan(1200);
  });

  it("reserves the tokens of images and videos", () => {
    const imageProcessor = { image_processor_type };
    expect(ImageModel.read({ config, imageProcessor })).toMatchObject({ tokenId: 7, reservedIds: [7, 8] });
    expect(ImageModel.read({ config: { image_token_id: 7 }, imageProcessor })?.reservedIds).toEqual([7]);
  });

  it("computes the number of tokens for GLM-4V, too", () => {
    const image_processor_type = "Glm46VImageProcessorFast";
    expect(count({ image_processor_type }, { width: 1, height: 3 })).toBe(10);
  });

  it("computes no number of tokens for other image processors", () => {
    const imageProcessor = { image_processor_type: "LlavaImageProcessor" };
    const other = ImageModel.read({ config: { image_token_index: 7 }, imageProcessor });
    expect(other).toMatchObject({ tokenId: 7, reservedIds: [7], canCount: false });
    expect(other?.countTokens({ width: 100, height: 100 })).toBeUndefined();
  });

  it("is undefined for a text model and for Gemma 3", () => {
    const imageProcessor = { image_processor_type: "Gemma3ImageProcessor" };
    expect(ImageModel.read({ config, imageProcessor: undefined })).toBeUndefined();
    expect(ImageModel.read({ config: { image_token_index: 7, boi_token_index: 8 }, imageProcessor })).toBeUndefined();
    expect(ImageModel.read({ config: {}, imageProcessor: { image_processor_type } })).toBeUndefined();
  });
});
