import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ImageFileError, readImageFile } from "../../src/conversation/image-file.js";
import { imageFile, makeExif, makePng, pngChunk, pngHeader } from "../helpers/images.js";

const refusal = (bytes: Uint8Array): string => {
  try {
    return readImageFile(bytes).mediaType;
  } catch (error) {
    if (!(error instanceof ImageFileError)) throw error;
    expect(error.name).toBe("ImageFileError");
    return `${error.code}: ${error.message}`;
  }
};
const codeOf = (bytes: Uint8Array) => refusal(bytes).split(":")[0];

/** Returns a JPEG file with a further segment before all others. */
function withSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  const jpeg = imageFile("jpeg");
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)]);
}

/** Returns a JPEG file with further segments before all others. */
function withSegments(...segments: (readonly [marker: number, data: Buffer])[]): Buffer {
  const jpeg = imageFile("jpeg");
  const further = segments.map(([marker, data]) => withSegment(marker, data).subarray(2, 2 - jpeg.length));
  return Buffer.concat([jpeg.subarray(0, 2), ...further, jpeg.subarray(2)]);
}
const exifData = (exif: Buffer) => Buffer.concat([Buffer.from("Exif\0\0"), exif]);
const withExif = (exif: Buffer) => withSegment(0xe1, exifData(exif));
const xmpData = (orientation: number) =>
  Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta tiff:Orientation="${orientation}"/>`);

/** Returns a WebP file of these chunks. */
function makeWebp(...chunks: (readonly [type: string, data: Buffer])[]): Buffer {
  const parts = chunks.map(([type, data]) => {
    const head = Buffer.from(`${type}\0\0\0\0`, "latin1");
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  });
  const file = Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBP"), ...parts]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
}
/** Data of a WebP chunk with the size of the canvas. */
const canvas = (width: number, height: number): Buffer => {
  const data = Buffer.alloc(10);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return data;
};
const lossyData = () => Buffer.from("3001009d012a03000200", "hex");

describe("the type and size of an image", () => {
  it.each([
    ["PNG", makePng(640, 480), "image/png", 640, 480],
    ["JPEG", imageFile("jpeg"), "image/jpeg", 3, 2],
    ["GIF", imageFile("gif"), "image/gif", 3, 2],
    ["WebP", imageFile("webp"), "image/webp", 3, 2],
    ["lossless WebP", imageFile("losslessWebp"), "image/webp", 3, 2],
    ["BMP", imageFile("bmp"), "image/bmp", 3, 2],
  ])("are read from a %s file", (_, bytes, mediaType, width, height) => {
    expect(readImageFile(bytes)).toEqual({ mediaType, width, height });
  });

  it("are read from bytes in the middle of a buffer", () => {
    const bytes = Buffer.concat([Buffer.alloc(5), makePng(4, 3), Buffer.alloc(7)]);
    expect(readImageFile(bytes.subarray(5, -7))).toMatchObject({ width: 4, height: 3 });
  });

  it("are those of a JPEG file that other data follows", () => {
    expect(readImageFile(Buffer.concat([imageFile("jpeg"), Buffer.alloc(100)]))).toMatchObject({ width: 3, height: 2 });
  });

  it("are those of a JPEG file with fill bytes between its segments", () => {
    const jpeg = imageFile("jpeg");
    const filled = Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(3, 0xff), jpeg.subarray(2)]);
    expect(readImageFile(filled)).toMatchObject({ width: 3, height: 2 });
  });

  it("cover a GIF frame that exceeds its screen", () => {
    const gif = imageFile("gif");
    gif.writeUInt16LE(1, 6);
    expect(readImageFile(gif)).toMatchObject({ width: 3, height: 2 });
    gif.writeUInt16LE(9, 8);
    expect(readImageFile(gif)).toMatchObject({ width: 3, height: 9 });
  });

  it("skip the extensions before a GIF frame", () => {
    const gif = imageFile("gif");
    const comment = Buffer.from([0x21, 0xfe, 2, 0x2c, 0x2c, 1, 0x2c, 0]);
    const extended = Buffer.concat([gif.subarray(0, 25), comment, gif.subarray(25)]);
    expect(readImageFile(extended)).toMatchObject({ width: 3, height: 2 });
  });

  it("include the place of a GIF frame on its screen", () => {
    const gif = imageFile("gif");
    gif.writeUInt16LE(4, 26);
    gif.writeUInt16LE(6, 28);
    expect(readImageFile(gif)).toMatchObject({ width: 7, height: 8 });
  });

  it.each([
    [0x80, 2],
    [0x81, 4],
    [0x07, 0],
  ])("are those of a GIF file whose frame has the flags %i and %i colors of its own", (flags, colors) => {
    const gif = imageFile("gif");
    gif[34] = flags;
    const file = Buffer.concat([gif.subarray(0, 35), Buffer.alloc(3 * colors), gif.subarray(35)]);
    expect(readImageFile(file)).toMatchObject({ width: 3, height: 2 });
    expect(codeOf(file.subarray(0, -2))).toBe("damaged");
  });

  it.each([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc7, 0xc9, 0xcb, 0xcd, 0xcf])("are those of a JPEG frame %i", (marker) => {
    const jpeg = imageFile("jpeg");
    jpeg[jpeg.indexOf("ffc0", "hex") + 1] = marker;
    expect(readImageFile(jpeg)).toMatchObject({ width: 3, height: 2 });
  });

  it.each([0xbf, 0xc4, 0xc8, 0xcc, 0xd0])("are not those of the JPEG segment %i", (marker) => {
    const jpeg = imageFile("jpeg");
    jpeg[jpeg.indexOf("ffc0", "hex") + 1] = marker;
    expect(refusal(jpeg)).toBe("damaged: the file has no frame");
  });

  it("are those of the canvas of a WebP file, in three bytes each", () => {
    const webp = makeWebp(["VP8X", canvas(70_001, 66_000)], ["VP8 ", lossyData()]);
    expect(readImageFile(webp)).toMatchObject({ width: 70_001, height: 66_000 });
    expect(readImageFile(makeWebp(["ABCD", Buffer.alloc(3)], ["VP8 ", lossyData()]))).toMatchObject({ width: 3 });
  });

  it("are 14 bits each in a WebP frame", () => {
    const data = lossyData();
    data.writeUInt16LE(0xc000 + 0x3ffd, 6);
    data.writeUInt16LE(0x8000 + 0x2001, 8);
    expect(readImageFile(makeWebp(["VP8 ", data]))).toMatchObject({ width: 0x3ffd, height: 0x2001 });
    const lossless = Buffer.from("2f00000000", "hex");
    lossless.writeUInt32LE(0xf000_0000 + (0x2002 << 14) + 0x3001, 1);
    expect(readImageFile(makeWebp(["VP8L", lossless]))).toMatchObject({ width: 0x3002, height: 0x2003 });
  });

  it.each([
    ["is not compressed", 0, 24, 24],
    ["has bit fields", 3, 24, 24],
    ["has rows of less than four bytes", 0, 8, 8],
    ["has compressed rows", 1, 24, 1],
  ])("are those of a BMP file that %s and has all of its data", (_, compression, bits, length) => {
    const bmp = imageFile("bmp").fill(0xff, 54);
    bmp.writeUInt16LE(bits, 28);
    bmp.writeUInt32LE(compression, 30);
    expect(readImageFile(bmp.subarray(0, 54 + length))).toMatchObject({ width: 3, height: 2 });
    expect(codeOf(bmp.subarray(0, 53 + length))).toBe("damaged");
  });

  it("are those of a BMP file from the top down, and of one with OS/2's header", () => {
    const bmp = imageFile("bmp");
    bmp.writeInt32LE(-2, 22);
    expect(readImageFile(bmp)).toMatchObject({ width: 3, height: 2 });
    const head = Buffer.alloc(26);
    head.write("BM");
    head.writeUInt32LE(26, 10);
    [12, 0, 3, 2, 1, 24].forEach((value, i) => head.writeUInt16LE(value, 14 + 2 * i));
    const core = Buffer.concat([head, Buffer.alloc(24, 0xff)]);
    expect(readImageFile(core)).toMatchObject({ width: 3, height: 2 });
    expect(codeOf(core.subarray(0, -1))).toBe("damaged");
  });
});

it("refuses a file with two sizes, of which decoders take another one", () => {
  const png = makePng(4, 3, 0, [pngChunk("IHDR", pngHeader(5000, 5000).subarray(16, 29))]);
  expect(() => readImageFile(png)).toThrow("the file has two headers");
  const frame = Buffer.from([8, 0, 9, 0, 9, 1, 1, 0x11, 0]);
  expect(() => readImageFile(withSegment(0xc0, frame))).toThrow("the file has two frames");
});

describe("the orientation of an image", () => {
  it.each([0, 1, 2, 3, 4, 9])("does not change width and height if it is %i", (orientation) => {
    expect(readImageFile(withExif(makeExif(orientation)))).toMatchObject({ width: 3, height: 2 });
  });

  it.each([5, 6, 7, 8])("exchanges width and height if it is %i", (orientation) => {
    expect(readImageFile(withExif(makeExif(orientation)))).toMatchObject({ width: 2, height: 3 });
    expect(readImageFile(withExif(makeExif(orientation, "II")))).toMatchObject({ width: 2, height: 3 });
  });

  it("is read from PNG and WebP files too", () => {
    expect(readImageFile(makePng(4, 3, 0, [pngChunk("eXIf", makeExif(6))]))).toMatchObject({ width: 3, height: 4 });
    expect(readImageFile(imageFile("turnedWebp"))).toMatchObject({ width: 2, height: 3 });
  });

  it("is that of the last chunk of its kind in PNG and WebP files", () => {
    const png = (...chunks: Buffer[]) => makePng(4, 3, 0, chunks);
    const exif = [1, 6].map((orientation) => pngChunk("eXIf", makeExif(orientation)));
    expect(readImageFile(png(...exif))).toMatchObject({ width: 3, height: 4 });
    const xmp = [1, 6].map((orientation) =>
      pngChunk("tEXt", Buffer.from(`XML:com.adobe.xmp\0tiff:Orientation="${orientation}"`)),
    );
    expect(readImageFile(png(...xmp))).toMatchObject({ width: 3, height: 4 });
    const webp = (...chunks: (readonly [string, Buffer])[]) =>
      readImageFile(makeWebp(["VP8X", canvas(3, 2)], ["VP8 ", lossyData()], ...chunks));
    expect(webp(["EXIF", makeExif(1)], ["EXIF", makeExif(6)])).toMatchObject({ width: 2, height: 3 });
    // The first one has an odd length.
    expect(webp(["XMP ", xmpData(10)], ["XMP ", xmpData(6)])).toMatchObject({ width: 2, height: 3 });
    expect(webp(["XMP ", xmpData(6)], ["XMP ", xmpData(1)])).toMatchObject({ width: 3, height: 2 });
    expect(webp(["EXIF", makeExif(1)], ["XMP ", xmpData(6)])).toMatchObject({ width: 3, height: 2 });
  });

  it("is read from Exif and XMP segments of a JPEG file in any order, and from no other segments", () => {
    const other = Buffer.from("http://ns.adobe.com/xmp/extension/\0");
    const none = exifData(makeExif(6).fill(0, 10, 12));
    for (const later of [none, other]) {
      expect(readImageFile(withSegments([0xe1, xmpData(6)], [0xe1, later]))).toMatchObject({ width: 2, height: 3 });
      expect(readImageFile(withSegments([0xe1, later], [0xe1, xmpData(6)]))).toMatchObject({ width: 2, height: 3 });
    }
    for (const data of [xmpData(6), exifData(makeExif(6))]) {
      expect(readImageFile(withSegments([0xe2, data]))).toMatchObject({ width: 3, height: 2 });
    }
  });

  it("is read from any entry of the Exif data, wherever they are, and from no bytes after them", () => {
    const entries = (count: number) => {
      const exif = Buffer.concat([makeExif(6).subarray(0, 22), makeExif(6).subarray(10)]);
      exif.writeUInt16BE(count, 8);
      exif.writeUInt16BE(0x0100, 10);
      return exif;
    };
    expect(readImageFile(withExif(entries(2)))).toMatchObject({ width: 2, height: 3 });
    expect(readImageFile(withExif(entries(1)))).toMatchObject({ width: 3, height: 2 });
    const far = Buffer.concat([makeExif(6).subarray(0, 8), Buffer.alloc(6), makeExif(6).subarray(8)]);
    far.writeUInt32BE(14, 4);
    expect(readImageFile(withExif(far))).toMatchObject({ width: 2, height: 3 });
  });

  it("is that of the XMP data if the Exif data has none", () => {
    const xmp = (orientation: number) => `<x:xmpmeta tiff:Orientation="${orientation}"/>`;
    const jpeg = (text: string) => withSegment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${text}`));
    expect(readImageFile(jpeg(xmp(6)))).toMatchObject({ width: 2, height: 3 });
    expect(readImageFile(jpeg(xmp(3)))).toMatchObject({ width: 3, height: 2 });
    expect(readImageFile(jpeg("<tiff:Orientation>8</tiff:Orientation>"))).toMatchObject({ width: 2, height: 3 });
    const chunk = pngChunk("iTXt", Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${xmp(6)}`));
    expect(readImageFile(makePng(4, 3, 0, [chunk]))).toMatchObject({ width: 3, height: 4 });
    expect(readImageFile(makePng(4, 3, 0, [chunk, pngChunk("eXIf", makeExif(1))]))).toMatchObject({
      width: 4,
      height: 3,
    });
  });

  describe("in a text of a PNG file", () => {
    const profile = (exif: Buffer) => `\nexif\n${exif.length}\n${exif.toString("hex").replace(/.{72}/g, "$&\n")}\n`;
    const key = "Raw profile type exif\0";
    const turned = profile(Buffer.concat([Buffer.from("Exif\0\0"), makeExif(6)]));
    const xmpKey = "XML:com.adobe.xmp\0";
    const xmp = '<x:xmpmeta tiff:Orientation="6"/>';
    const text = (type: string, head: string, data: string | Buffer) =>
      pngChunk(type, Buffer.concat([Buffer.from(head), Buffer.from(data)]));

    it.each([
      ["a profile as ImageMagick writes it", text("zTXt", `${key}\0`, deflateSync(turned))],
      ["a profile without JPEG's prefix", text("zTXt", `${key}\0`, deflateSync(profile(makeExif(6))))],
      ["a profile that is not compressed", text("tEXt", key, turned)],
      ["a profile in UTF-8", text("iTXt", `${key}\0\0en\0Profil\0`, turned)],
      ["a compressed profile in UTF-8", text("iTXt", `${key}\x01\0en\0Profil\0`, deflateSync(turned))],
      ["compressed XMP data", text("iTXt", `${xmpKey}\x01\0\0\0`, deflateSync(xmp))],
      ["XMP data in Latin-1", text("zTXt", `${xmpKey}\0`, deflateSync(xmp))],
      ["XMP data that is not compressed, up to its last byte", text("tEXt", xmpKey, `${xmp}\0\0`)],
    ])("is read from %s", (_, chunk) => {
      expect(readImageFile(makePng(4, 3, 0, [chunk]))).toMatchObject({ width: 3, height: 4 });
    });

    it.each([
      ["is not compressed as announced", text("zTXt", `${key}\0`, turned)],
      ["is longer than a mebibyte", text("zTXt", `${key}\0`, deflateSync(turned + " ".repeat(2 ** 20)))],
      ["is not compressed and longer than a mebibyte", text("tEXt", key, turned + " ".repeat(2 ** 20))],
      ["is empty", text("iTXt", key, "")],
      ["has other characters at its end", text("tEXt", key, `${turned.trimEnd()}??\n`)],
      ["has Exif data in a chunk beside it", Buffer.concat([text("tEXt", key, turned), pngChunk("eXIf", makeExif(1))])],
    ])("has no effect if it %s", (_, chunk) => {
      expect(readImageFile(makePng(4, 3, 0, [chunk]))).toMatchObject({ width: 4, height: 3 });
    });
  });

  it("is read if it is a number of four bytes, or after a second prefix", () => {
    const long = makeExif(0);
    long.writeUInt16BE(4, 12);
    long.writeUInt32BE(6, 18);
    expect(readImageFile(withExif(long))).toMatchObject({ width: 2, height: 3 });
    // Nothing follows the value.
    expect(readImageFile(withExif(long.subarray(0, 22)))).toMatchObject({ width: 2, height: 3 });
    expect(readImageFile(withExif(makeExif(6).subarray(0, 20)))).toMatchObject({ width: 2, height: 3 });
    const prefix = Buffer.from("Exif\0\0");
    expect(readImageFile(withExif(Buffer.concat([prefix, makeExif(6)])))).toMatchObject({ width: 2, height: 3 });
    const chunk = pngChunk("eXIf", Buffer.concat([prefix, makeExif(6)]));
    expect(readImageFile(makePng(4, 3, 0, [chunk]))).toMatchObject({ width: 3, height: 4 });
  });

  it("has no effect if it is not a number", () => {
    const bytes = makeExif(6, "II");
    bytes.writeUInt16LE(1, 12);
    expect(readImageFile(withExif(bytes))).toMatchObject({ width: 3, height: 2 });
  });

  it("is the first one of several in Exif data, and that of the last segment of XMP data", () => {
    const twice = (first: number, last: number) => {
      const entry = (orientation: number) => makeExif(orientation).subarray(10, 22);
      const head = makeExif(1).subarray(0, 10);
      head.writeUInt16BE(2, 8);
      return withExif(Buffer.concat([head, entry(first), entry(last)]));
    };
    expect(readImageFile(twice(1, 6))).toMatchObject({ width: 3, height: 2 });
    expect(readImageFile(twice(6, 1))).toMatchObject({ width: 2, height: 3 });
    expect(readImageFile(withSegments([0xe1, xmpData(1)], [0xe1, xmpData(6)]))).toMatchObject({ width: 2, height: 3 });
  });

  it("is that of the first segment of Exif data, and other segments of the same marker are no Exif data", () => {
    const other = withSegment(0xe1, Buffer.from("http://ns.adobe.com/xap/1.0/\0"));
    expect(readImageFile(other)).toMatchObject({ width: 3, height: 2 });
    const exif = [6, 1].map((orientation) => [0xe1, exifData(makeExif(orientation))] as const);
    expect(readImageFile(withSegments(...exif))).toMatchObject({ width: 2, height: 3 });
  });

  it.each([
    ["cut", makeExif(6).subarray(0, 15)],
    ["empty", Buffer.alloc(0)],
    ["of no known byte order", Buffer.concat([Buffer.from("IIII"), makeExif(6, "II").subarray(4)])],
    ["far away", Buffer.concat([makeExif(6).subarray(0, 4), Buffer.alloc(4, 0xff)])],
  ])("has no effect if the Exif data is %s", (_, exif) => {
    expect(readImageFile(withExif(exif))).toMatchObject({ width: 3, height: 2 });
  });
});

function withNegativeWidth(): Buffer {
  const bmp = imageFile("bmp");
  bmp.writeInt32LE(-3, 18);
  return bmp;
}

describe("a damaged image", () => {
  it.each([
    ["PNG", makePng(4, 3), 8],
    ["JPEG", imageFile("jpeg"), 3],
    ["GIF", imageFile("gif").subarray(0, -1), 6],
    ["WebP", imageFile("webp"), 12],
    ["lossless WebP", imageFile("losslessWebp"), 12],
    ["BMP", imageFile("bmp"), 2],
  ])("is a %s file that was cut anywhere", (_, bytes, signature) => {
    for (let length = 0; length < bytes.length; length++) {
      expect([length, codeOf(bytes.subarray(0, length))]).toEqual([length, length < signature ? "unknown" : "damaged"]);
    }
  });

  it("is a JPEG file that was cut after a preview, which has an end of its own", () => {
    const preview = withSegment(0xe1, imageFile("jpeg"));
    expect(codeOf(preview)).toBe("image/jpeg");
    expect(codeOf(preview.subarray(0, -1))).toBe("damaged");
  });

  it.each([
    ["a PNG file without data", Buffer.concat([pngHeader(4, 3), pngChunk("IEND")]), "no image data"],
    ["a PNG file without a header", Buffer.concat([pngHeader(1, 1).subarray(0, 8), pngChunk("IEND")]), "its header"],
    ["a PNG file without pixels", makePng(0, 3), "no pixels"],
    ["a JPEG file without a frame", Buffer.from("ffd8ffda0002ffd9", "hex"), "no frame"],
    ["a JPEG file with bytes between segments", Buffer.from("ffd8ffe000020000ffd9", "hex"), "a marker"],
    ["a JPEG file with an impossible segment", Buffer.from("ffd8ffe00001ffd9", "hex"), "shorter"],
    ["a JPEG file whose Exif data exceeds its segment", Buffer.from("ffd8ffe10004457869660000ffd9", "hex"), "a marker"],
    ["a BMP file with a negative width, which engines read as a huge one", withNegativeWidth(), "ends before"],
    ["a GIF file without a frame", Buffer.concat([imageFile("gif").subarray(0, 25), Buffer.from(";")]), "no image"],
    ["a WebP file without an image", Buffer.from("RIFF\x04\0\0\0WEBP"), "no image"],
  ])("is %s", (_, bytes, problem) => {
    expect(refusal(bytes)).toMatch(new RegExp(`^damaged: .*${problem}`));
  });
});

it.each([
  ["nothing", Buffer.alloc(0)],
  ["text", Buffer.from("hello")],
  ["an SVG image", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ["a PDF file", Buffer.from("%PDF-1.7\n")],
  ["a WAVE file", Buffer.from("RIFF\x04\0\0\0WAVE")],
  ["a TIFF file", makeExif(1)],
])("does not read %s", (_, bytes) => {
  expect(refusal(bytes)).toBe("unknown: not a PNG, JPEG, GIF, WebP or BMP file");
});

it.each([
  ["PNG", makePng(4, 3, 0, [pngChunk("eXIf", makeExif(6))])],
  ["JPEG", withExif(makeExif(6))],
  ["GIF", imageFile("gif")],
  ["WebP", imageFile("turnedWebp")],
  ["BMP", imageFile("bmp")],
])("reads or refuses a %s file with any byte changed", (_, file) => {
  for (let at = 0; at < file.length; at++) {
    for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(file);
      changed[at] = value;
      // Throws for an error that is not of images.
      expect(codeOf(changed)).toMatch(/^(image\/|unknown|damaged)/);
    }
  }
});
