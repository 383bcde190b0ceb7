import { describe, expect, it } from "vitest";
import type { CallImage } from "../../../src/engine/engine.js";
import { toDataUrl } from "../../../src/engine/servers/wire/image-body.js";
import {
  contentPartsField,
  expansionRequest,
  featuresField,
  readExpansion,
  SentImages,
} from "../../../src/engine/vllm/request-images.js";

const image = (sha256: string, length = 3): CallImage => ({
  sha256,
  mediaType: "image/png",
  file: Uint8Array.of(1, 2, 3),
  offset: 5,
  length,
});
const [a, b] = [image("a"), image("b")];

const write = (images: readonly CallImage[], sent: readonly string[]): unknown => {
  const pieces = contentPartsField(images, new Set(sent));
  return JSON.parse(`{"x":1${pieces.map((piece) => (typeof piece === "string" ? piece : toDataUrl(piece))).join("")}}`);
};

describe("the images of a request", () => {
  it("are sent with their digests, and without their files if the server has them", () => {
    const url = toDataUrl(a);
    expect(write([a, b], ["b"])).toEqual({
      x: 1,
      content_parts: [
        { type: "image_url", url, uuid: "a" },
        { type: "image_url", uuid: "b" },
      ],
      return_token_ids: true,
    });
  });

  it("are named with their places if the ids have all of their tokens", () => {
    expect(JSON.parse(`{"x":1${featuresField([a, b])}}`)).toEqual({
      x: 1,
      features: {
        mm_hashes: { image: ["a", "b"] },
        mm_placeholders: {
          image: [
            { offset: 5, length: 3 },
            { offset: 5, length: 3 },
          ],
        },
      },
    });
  });
});

describe("the images that a server was sent", () => {
  it("are known with their lengths until they are forgotten", () => {
    const sent = new SentImages();
    expect([...sent.find([a, b])]).toEqual([]);
    expect([...sent.find([])]).toEqual([]);
    sent.add([a]);
    expect([...sent.find([a, b])]).toEqual(["a"]);
    expect([sent.hasAll([a]), sent.hasAll([a, b]), sent.hasAll([image("a", 4)])]).toEqual([true, false, false]);
    sent.add([b]);
    sent.forget([a]);
    expect([...sent.find([a, b])]).toEqual(["b"]);
    sent.clear();
    expect([...sent.find([a, b])]).toEqual([]);
  });
});

describe("the tokens of an image", () => {
  it("are asked for with one token of output", () => {
    expect(expansionRequest("m", a, 7)).toEqual({
      model: "m",
      token_ids: [7],
      content_parts: [{ type: "image_url", url: toDataUrl(a), uuid: "a" }],
      return_token_ids: true,
      sampling_params: { max_tokens: 1, temperature: 1, top_k: 1 },
    });
  });

  const body = (ids: unknown, offset = 0, length = 3) =>
    JSON.stringify({ prompt_token_ids: ids, mm_placeholders: { image: [{ offset, length }] } });

  it("are read from the reply", () => {
    expect(readExpansion(body([7, 7, 8]), 7)).toEqual(Int32Array.of(7, 7, 8));
  });

  it.each([
    ["nothing", "{}", "The engine does not say which tokens an image has"],
    ["no ids", body(null), "The engine does not say which tokens an image has"],
    ["another place", body([7, 7, 8], 1), "The engine does not say which tokens an image has"],
    ["another first token", body([8, 7, 7]), "The engine puts other tokens before those of an image"],
    ["further tokens", body([7, 7, 8, 9]), "The engine puts other tokens before those of an image"],
  ])("are refused with %s", (_, text, message) => {
    expect(() => readExpansion(text, 7)).toThrow(message);
  });
});
