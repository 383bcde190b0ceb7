import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { readHeader } from "../../src/support/safetensors/read-header.js";
import type { Source } from "../../src/view/api.js";
import { type EmbeddedOverview, imageBlock, OVERVIEW_BLOCK } from "../../src/view/embedded-format.js";
import { writeHtml } from "../../src/view/html/write-html.js";
import type { PageFiles } from "../../src/view/http/page-files.js";
import { createViewer } from "../../src/view/http/start.js";
import { createEmbeddedSource } from "../../src/view/page/source/embedded-source.js";
import { BatchSource } from "../../src/view/sources/batch-source.js";
import { TranscriptSource } from "../../src/view/sources/transcript-source.js";
import { digestOf, imageFile, PNG_HEADERS } from "../helpers/images.js";
import { readBlocks } from "./read-blocks.js";
import { HARMFUL, QUESTION, RESULT, recordImages } from "./recorded-images.js";

const ABSENT = "0".repeat(64);

const page: PageFiles = new Map([
  [
    "index.html",
    {
      type: "text/html",
      content: Buffer.from("<!doctype html><html><head><title>R</title></head><body><p></p></body></html>"),
    },
  ],
  ["page.js", { type: "text/javascript", content: Buffer.from("1") }],
  ["page.css", { type: "text/css", content: Buffer.from("a{}") }],
]);

describe.each([
  ["padded", { layout: "padded" }],
  ["padded on the left", { layout: "padded", padSide: "left", padToMultipleOf: 32 }],
  ["packed", { layout: "packed" }],
  ["tree", { layout: "tree" }],
  ["concat", { layout: "packed", style: "concat", onMismatch: "split" }],
] as const)("the images of a %s batch", (_, options) => {
  it("are read by their digests", async () => {
    const { transcript, batch } = await recordImages(options);
    await using source = await TranscriptSource.open(transcript);
    await using tensors = await BatchSource.open(batch);
    for (const file of [QUESTION, RESULT]) {
      const place = { episode: 0, sha256: digestOf(file) };
      expect(digestOf(await source.image(place))).toBe(place.sha256);
      expect(digestOf(await tensors.image(place))).toBe(place.sha256);
    }
    await expect(source.image({ episode: 0, sha256: ABSENT })).rejects.toMatchObject({ code: "not_found" });
  });

  it("are at their places among the tokens that a call adds", async () => {
    const { transcript } = await recordImages(options);
    await using source = await TranscriptSource.open(transcript);
    const read = async (interaction: number, from: number, count: number) =>
      (await source.tokens({ episode: 0, interaction, from, count })).images;
    const question = { from: 1, count: 2, sha256: digestOf(QUESTION), width: 40, height: 30 };
    const result = { from: 1, count: 3, sha256: digestOf(RESULT), width: 90, height: 10 };
    expect(await read(0, 0, 100)).toEqual([question]);
    expect(await read(1, 0, 100)).toEqual([result]);
    expect(await read(1, 3, 1)).toEqual([result]);
    expect([...(await read(1, 0, 1)), ...(await read(1, 4, 10))]).toEqual([]);
  });
});

describe("the images of a transcript", () => {
  it("are missing for an episode without a batch, but its messages are shown", async () => {
    const { transcript } = await recordImages();
    await using source = await TranscriptSource.open(transcript);
    const { interactions } = await source.episode(1);
    expect(interactions[0]?.messages[0]?.content).toContainEqual(
      expect.objectContaining({ type: "image", sha256: digestOf(QUESTION) }),
    );
    await expect(source.image({ episode: 1, sha256: digestOf(QUESTION) })).rejects.toThrow(/is in no batch/);
  });

  it("leave the texts around them searchable", async () => {
    const { transcript } = await recordImages();
    await using source = await TranscriptSource.open(transcript);
    for (const text of ["look at this", "a NEEDLE", "[image]"]) {
      expect(await source.search(text, new AbortController().signal)).toEqual({ episodes: [0, 1], complete: true });
    }
  });

  it("are refused if a byte of the file has changed", async () => {
    const { transcript, batch } = await recordImages();
    const bytes = readFileSync(batch);
    const at = bytes.indexOf(HARMFUL);
    bytes[at] = 0;
    writeFileSync(batch, bytes);
    await using source = await TranscriptSource.open(transcript);
    await expect(source.image({ episode: 0, sha256: digestOf(RESULT) })).rejects.toThrow(/is damaged/);
    expect(digestOf(await source.image({ episode: 0, sha256: digestOf(QUESTION) }))).toBe(digestOf(QUESTION));
  });
});

describe("the images of a damaged batch", () => {
  /** Writes the batch again with other values in a tensor of integers. */
  async function openWith(tensor: string, value: number) {
    const { transcript, batch } = await recordImages();
    const bytes = readFileSync(batch);
    const { start = 0, end = 0 } = readHeader(bytes).tensors.find(({ name }) => name === tensor) ?? {};
    for (let at = start; at < end; at += 4) bytes.writeInt32LE(value, at);
    writeFileSync(batch, bytes);
    const source = await TranscriptSource.open(transcript);
    onTestFinished(() => source[Symbol.asyncDispose]());
    return source;
  }

  it.each([
    ["image_row", 7],
    ["image_file", -1],
    ["image_file", 2],
    ["image_offset", -5],
    ["image_length", 0],
    ["image_length", -1],
    ["image_width", 0],
    ["image_height", -1],
  ])("are left out if %s is %i", async (tensor, value) => {
    const source = await openWith(tensor, value);
    expect((await source.tokens({ episode: 0, interaction: 0, from: 0, count: 9 })).images).toEqual([]);
  });

  it.each([-1, 1_000_000])("have no file if its bounds are %i", async (value) => {
    const source = await openWith("image_bytes_offsets", value);
    await expect(source.image({ episode: 0, sha256: digestOf(RESULT) })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("the viewer's answer with an image", () => {
  async function open(source: Source) {
    const { app, firstPath } = await createViewer(source, page);
    onTestFinished(() => app.close());
    const headers = { host: "127.0.0.1:4000" };
    const first = await app.inject({ url: firstPath, headers });
    const cookie = String(first.headers["set-cookie"]).split(";", 1)[0] ?? "";
    const get = (sha256: string, own: object = { cookie }) =>
      app.inject({ url: `/api/episodes/0/images/${sha256}`, headers: { ...headers, ...own } });
    return get;
  }

  it("is an image only, may be kept by this browser, and needs the cookie", async () => {
    const { transcript } = await recordImages();
    const source = await TranscriptSource.open(transcript);
    onTestFinished(() => source[Symbol.asyncDispose]());
    const get = await open(source);
    const answer = await get(digestOf(RESULT));
    expect(answer.statusCode).toBe(200);
    expect(digestOf(answer.rawPayload)).toBe(digestOf(RESULT));
    expect(answer.headers).toMatchObject({
      ...PNG_HEADERS,
      "x-frame-options": "DENY",
      "cross-origin-resource-policy": "same-origin",
    });
    expect((await get(digestOf(RESULT), {})).statusCode).toBe(403);
    const absent = await get(ABSENT);
    expect([absent.statusCode, absent.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    expect(absent.headers).toMatchObject({ "cache-control": "no-store" });
    for (const path of ["..%2f..%2foverview", "A".repeat(64), "x"]) {
      expect((await get(path)).statusCode).toBe(400);
    }
  });

  it.each([
    ["image/jpeg", imageFile("jpeg")],
    ["image/gif", imageFile("gif")],
    ["image/webp", imageFile("webp")],
    ["image/bmp", imageFile("bmp")],
  ])("has the type %s of the file", async (type, file) => {
    const get = await open({ image: async () => file } as unknown as Source);
    const { statusCode, headers } = await get(digestOf(file));
    expect([statusCode, headers["content-type"]]).toEqual([200, type]);
  });

  it.each([
    ["a web page", HARMFUL],
    ["an SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>window.harmed = 1</script></svg>'],
    ["an XML file with the name of an image", '<?xml version="1.0"?><!-- \x89PNG -->'],
    ["half a PNG", QUESTION.subarray(0, 60)],
  ])("is an error for %s", async (_, file) => {
    const get = await open({ image: async () => Buffer.from(file) } as unknown as Source);
    const { statusCode, headers, body } = await get(ABSENT);
    expect([statusCode, headers["content-type"]]).toEqual([404, expect.stringContaining("application/json")]);
    expect(headers["cache-control"]).toBe("no-store");
    expect(body).not.toContain("<");
  });
});

describe("the images of an HTML file", () => {
  async function write(maxBytes?: number) {
    const { transcript } = await recordImages({ layout: "tree" });
    await using source = await TranscriptSource.open(transcript);
    const path = `${transcript}.html`;
    const written = await writeHtml(path, source, page, maxBytes);
    return { written, ...readBlocks(readFileSync(path, "utf8")) };
  }

  it("are in it, each file once", async () => {
    const { written, readBlock } = await write();
    const embedded = createEmbeddedSource(readBlock);
    expect(written).toMatchObject({ episodes: 2, images: 2 });
    for (const file of [QUESTION, RESULT]) {
      expect(digestOf((await embedded?.image({ episode: 0, sha256: digestOf(file) })) ?? Buffer.of())).toBe(
        digestOf(file),
      );
    }
    const { images } = (await embedded?.tokens({ episode: 0, interaction: 1, from: 2, count: 1 })) ?? {};
    expect(images).toMatchObject([{ from: 1, count: 3, sha256: digestOf(RESULT) }]);
  });

  it("are left out first if it is full, and the file says so", async () => {
    const whole = await write();
    const small = await write(whole.written.bytes + 2000 - QUESTION.length);
    expect(small.written).toMatchObject({ readable: 2, withTokens: 1, images: 1 });
    const notices = small.readJson<EmbeddedOverview>(OVERVIEW_BLOCK)?.[0]?.notices;
    expect(notices).toContain("1 of 2 images did not fit into this file.");
    expect(small.readBlock(imageBlock(digestOf(RESULT)))).toBeUndefined();
    const embedded = createEmbeddedSource(small.readBlock);
    await expect(embedded?.image({ episode: 0, sha256: digestOf(RESULT) })).rejects.toThrow(/left out of the HTML/);
  });

  it("include those among tokens if there are no messages", async () => {
    const { batch } = await recordImages();
    await using source = await BatchSource.open(batch);
    expect(await writeHtml(`${batch}.html`, source, page)).toMatchObject({ images: 2 });
  });
});
