import { expect, it } from "vitest";
import type { CallImage } from "../../../../src/engine/engine.js";
import { toDataUrl, writeImageBody } from "../../../../src/engine/servers/wire/image-body.js";
import { imageField, REQUEST_PREFIX } from "../../../../src/engine/sglang/request-fields.js";
import { makeCall } from "../../generate-call.js";

const image = (offset: number, length: number, bytes: number): CallImage => ({
  sha256: `sha-${offset}`,
  mediaType: "image/png",
  // A view that does not begin where its memory begins.
  file: Uint8Array.from({ length: bytes + 2 }, (_, index) => 250 + index).subarray(2),
  offset,
  length,
});

const images = [image(1, 3, 4), image(5, 2, 6)];

const parse = (body: Buffer): unknown => JSON.parse(body.toString("utf8"));

it("an image is a data URL", () => {
  const [first] = images;
  expect(first && toDataUrl(first)).toBe("data:image/png;base64,/P3+/w==");
});

it("the body of a request has one token for each image, and the images where the engine wants them", () => {
  const call = { ...makeCall([1, 9, 9, 9, 2, 9, 9, 3]), images };
  const body = writeImageBody(call, { prefix: REQUEST_PREFIX, images: imageField(images), suffix: ',"text":"é"}' });
  expect(parse(body)).toEqual({ input_ids: [1, 9, 2, 9, 3], image_data: images.map(toDataUrl), text: "é" });
});

it("the body of a request that resumes a generation has its output so far", () => {
  const call = { ...makeCall([1, 9, 9, 9]), images: images.slice(0, 1) };
  call.generation.append(Int32Array.of(7, 8), Float32Array.of(-1, -1), 0);
  const body = writeImageBody(call, { prefix: '{"ids":', images: [',"x":"', "y", '"'], suffix: "}" });
  expect(parse(body)).toEqual({ ids: [1, 9, 7, 8], x: "y" });
});

it("the body of a request without images has all ids", () => {
  const body = writeImageBody(makeCall([1, 2]), { prefix: '{"ids":', images: [], suffix: "}" });
  expect(parse(body)).toEqual({ ids: [1, 2] });
});
