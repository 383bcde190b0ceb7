import { inflateSync } from "node:zlib";
import { type ImageMediaType, readImageType } from "./image-type.js";

/**
 * Facts of an image file from its bytes, without decoding it. The type that a client declares is not trusted, and the pixels of a
 * file that would take gigabytes are known before anything decodes them.
 *
 * Sources of the formats: PNG (W3C), JPEG (ITU-T T.81, Exif 2.3), GIF89a, WebP (RFC 9649), BMP (Windows bitmap headers).
 */

export interface ImageFile {
  readonly mediaType: ImageMediaType;
  /**
   * In pixels, as the image is shown: vLLM rotates it by its orientation before it makes patches. SGLang with Qwen-VL does not, but those
   * models have as many tokens for either.
   */
  readonly width: number;
  /** In pixels, as the image is shown. */
  readonly height: number;
}

/** `unknown`: the bytes are of no format that engines read. `damaged`: they begin like one, but cannot be complete. */
export class ImageFileError extends Error {
  override readonly name = "ImageFileError";
  readonly code: "unknown" | "damaged";

  constructor(code: ImageFileError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** As the file stores it. */
interface StoredImage {
  readonly width: number;
  readonly height: number;
  /** A TIFF block, with or without JPEG's prefix. */
  readonly exif?: Bytes | undefined;
  /** Its XMP data, which has the orientation if the Exif data has none. */
  readonly xmp?: Bytes | undefined;
}

/** @throws ImageFileError */
export function readImageFile(file: Uint8Array): ImageFile {
  const mediaType = readImageType(file);
  if (!mediaType) throw new ImageFileError("unknown", "not a PNG, JPEG, GIF, WebP or BMP file");
  const { width, height, exif, xmp } = READERS[mediaType](new Bytes(file));
  if (width === 0 || height === 0) throw new ImageFileError("damaged", "the image has no pixels");
  const orientation = (exif && readOrientation(exif)) ?? (xmp && readXmpOrientation(xmp)) ?? 1;
  const isTurned = FIRST_TURNED <= orientation && orientation <= LAST_TURNED;
  return isTurned ? { mediaType, width: height, height: width } : { mediaType, width, height };
}

/**
 * Reads numbers and texts of a file. Its methods allocate nothing, because a file of a few megabytes can consist of a million chunks.
 *
 * @throws ImageFileError beyond the end of the file
 */
class Bytes {
  readonly length: number;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.length = bytes.byteLength;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(at: number): number {
    if (at + 1 > this.length) throw cut();
    return this.#view.getUint8(at);
  }

  u16(at: number, isLittle = false): number {
    if (at + 2 > this.length) throw cut();
    return this.#view.getUint16(at, isLittle);
  }

  u32(at: number, isLittle = false): number {
    if (at + 4 > this.length) throw cut();
    return this.#view.getUint32(at, isLittle);
  }

  i32(at: number, isLittle: boolean): number {
    return this.u32(at, isLittle) | 0;
  }

  /** Returns true if the bytes from `at` on are these characters of Latin-1. */
  has(at: number, text: string): boolean {
    if (at + text.length > this.length) return false;
    for (let i = 0; i < text.length; i++) if (this.#view.getUint8(at + i) !== text.charCodeAt(i)) return false;
    return true;
  }

  /** As Latin-1. */
  text(): string {
    return new TextDecoder("latin1").decode(this.#view);
  }

  slice(at: number, length = this.length - at): Bytes {
    return new Bytes(this.bytes(at, length));
  }

  bytes(at: number, length = this.length - at): Uint8Array {
    if (length < 0 || at + length > this.length) throw cut();
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset + at, length);
  }
}

const cut = () => new ImageFileError("damaged", "the file ends before the image does");

/** A chunk is its length, a type of four letters, the data and a checksum. The last one is `IEND`. */
function readPng(bytes: Bytes): StoredImage {
  if (!bytes.has(12, "IHDR")) throw new ImageFileError("damaged", "the file does not begin with its header");
  // The last chunk of each kind counts.
  let exifAt: number | undefined;
  let profileAt: number | undefined;
  let xmpAt: number | undefined;
  let hasData = false;
  for (let at = PNG_HEAD; ; ) {
    const end = at + 12 + bytes.u32(at);
    if (end > bytes.length) throw cut();
    // Decoders take the size of the last one.
    if (at > PNG_HEAD && bytes.has(at + 4, "IHDR")) throw new ImageFileError("damaged", "the file has two headers");
    if (bytes.has(at + 4, "eXIf")) exifAt = at;
    if (bytes.has(at + 8, PNG_PROFILE)) profileAt = at;
    if (bytes.has(at + 8, PNG_XMP)) xmpAt = at;
    hasData ||= bytes.has(at + 4, "IDAT");
    if (bytes.has(at + 4, "IEND")) break;
    at = end;
  }
  if (!hasData) throw new ImageFileError("damaged", "the file has no image data");
  const exif =
    exifAt === undefined
      ? readProfile(readPngText(bytes, profileAt, PNG_PROFILE))
      : bytes.slice(exifAt + 8, bytes.u32(exifAt));
  return { width: bytes.u32(16), height: bytes.u32(20), exif, xmp: readPngText(bytes, xmpAt, PNG_XMP) };
}

/** Keywords of text chunks. ImageMagick writes Exif data as such a profile, because the chunk `eXIf` is younger. */
const PNG_PROFILE = "Raw profile type exif\0";
const PNG_XMP = "XML:com.adobe.xmp\0";

/** Pillow refuses a file with a longer text. */
const MAX_TEXT_BYTES = 1024 * 1024;

/**
 * Returns the text of a chunk that begins with this keyword; undefined without a chunk, or if the text cannot be read.
 *
 * @param at offset of the chunk
 */
function readPngText(bytes: Bytes, at: number | undefined, keyword: string): Bytes | undefined {
  if (at === undefined) return undefined;
  const text = bytes.slice(at + 8, bytes.u32(at)).bytes(keyword.length);
  if (bytes.has(at + 4, "tEXt")) return new Bytes(text);
  if (bytes.has(at + 4, "zTXt")) return inflate(text.subarray(1));
  // `iTXt` has a language and a translated keyword before the text.
  const language = text.indexOf(0, 2);
  const start = text.indexOf(0, language + 1) + 1;
  return text[0] === 1 ? inflate(text.subarray(start)) : new Bytes(text.subarray(start));
}

function inflate(compressed: Uint8Array): Bytes | undefined {
  try {
    return new Bytes(inflateSync(compressed, { maxOutputLength: MAX_TEXT_BYTES }));
  } catch {
    return undefined;
  }
}

/** Returns the data of a profile. It is written as hexadecimal digits, after an empty line, its type and its length. */
function readProfile(profile: Bytes | undefined): Bytes | undefined {
  if (!profile || profile.length > MAX_TEXT_BYTES) return undefined;
  const digits = profile.text().split("\n").slice(3).join("").replace(/\s/g, "");
  const data = Buffer.from(digits, "hex");
  // Node.js reads up to the first character that is no digit, and Pillow nothing.
  return data.length * 2 === digits.length ? new Bytes(data) : undefined;
}

/** Markers that begin a frame: all from 0xC0 to 0xCF but those of tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const APP1 = 0xe1;
const EXIF = "Exif\0\0";
const XMP = "http://ns.adobe.com/xap/1.0/\0";

/** A file is segments, each a marker and its data with their length, up to the scan; then compressed data up to the end marker. */
function readJpeg(bytes: Bytes): StoredImage {
  let size: Pick<StoredImage, "width" | "height"> | undefined;
  let exif: Bytes | undefined;
  let xmp: Bytes | undefined;
  let at = 2;
  for (;;) {
    if (bytes.u8(at) !== 0xff) throw new ImageFileError("damaged", "a segment does not begin with a marker");
    const marker = bytes.u8(at + 1);
    // Any number of 0xFF may come before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = bytes.u16(at + 2);
    if (length < 2) throw new ImageFileError("damaged", "a segment is shorter than its length");
    if (isFrame(marker) && size) throw new ImageFileError("damaged", "the file has two frames");
    if (isFrame(marker)) size = { height: bytes.u16(at + 5), width: bytes.u16(at + 7) };
    if (marker === APP1 && bytes.has(at + 4, EXIF)) exif ??= sliceData(bytes, at, length);
    if (marker === APP1 && bytes.has(at + 4, XMP)) xmp = sliceData(bytes, at, length);
    if (marker === START_OF_SCAN) break;
    at += 2 + length;
  }
  if (!size) throw new ImageFileError("damaged", "the file has no frame");
  if (!hasEnd(bytes, at)) throw cut();
  return { ...size, exif, xmp };
}

/** Returns the data of a segment. Its length counts the two bytes of the length too. */
const sliceData = (bytes: Bytes, at: number, length: number): Bytes => bytes.slice(at + 4, length - 2);

/**
 * Returns true if the end marker comes after the beginning of the scan: a preview in the Exif data has one too. Other data may
 * follow the image, such as a film of the moment.
 */
function hasEnd(bytes: Bytes, scan: number): boolean {
  for (let at = bytes.length - 2; at > scan; at--) {
    if (bytes.u8(at) === 0xff && bytes.u8(at + 1) === END_OF_IMAGE) return true;
  }
  return false;
}

const GIF_EXTENSION = 0x21;
const GIF_IMAGE = 0x2c;

/** The size is that of the screen, which the first frame may exceed. Engines read no other frame. */
function readGif(bytes: Bytes): StoredImage {
  let at = 13 + measureColors(bytes.u8(10));
  while (bytes.u8(at) === GIF_EXTENSION) at = skipBlocks(bytes, at + 2);
  if (bytes.u8(at) !== GIF_IMAGE) throw new ImageFileError("damaged", "the file has no image");
  const u16 = (from: number) => bytes.u16(from, true);
  const [right, bottom] = [u16(at + 1) + u16(at + 5), u16(at + 3) + u16(at + 7)];
  skipBlocks(bytes, at + 11 + measureColors(bytes.u8(at + 9)));
  return { width: Math.max(u16(6), right), height: Math.max(u16(8), bottom) };
}

/** Returns the bytes of the table of colors that these flags announce. */
const measureColors = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Blocks begin with their length; the last one is empty. Returns the offset after it. */
function skipBlocks(bytes: Bytes, from: number): number {
  let at = from;
  for (let length = bytes.u8(at); length > 0; length = bytes.u8(at)) at += 1 + length;
  return at + 1;
}

/** A RIFF file: chunks of a type, a length and data, which is padded to an even length. */
function readWebp(bytes: Bytes): StoredImage {
  const end = 8 + bytes.u32(4, true);
  if (end > bytes.length) throw cut();
  let size: Pick<StoredImage, "width" | "height"> | undefined;
  let exifAt: number | undefined;
  let xmpAt: number | undefined;
  for (let at = 12; at + 8 <= end; ) {
    const length = bytes.u32(at + 4, true);
    size ??= readWebpSize(bytes, at);
    if (bytes.has(at, "EXIF")) exifAt = at;
    if (bytes.has(at, "XMP ")) xmpAt = at;
    at += 8 + length + (length % 2);
  }
  if (!size) throw new ImageFileError("damaged", "the file has no image");
  const dataOf = (at: number | undefined) =>
    at === undefined ? undefined : bytes.slice(at + 8, bytes.u32(at + 4, true));
  return { ...size, exif: dataOf(exifAt), xmp: dataOf(xmpAt) };
}

const LOSSY_BITS = 0x3fff;

function readWebpSize(bytes: Bytes, at: number): Pick<StoredImage, "width" | "height"> | undefined {
  const data = at + 8;
  if (bytes.has(at, "VP8X")) {
    const u24 = (from: number) => bytes.u16(from, true) + bytes.u8(from + 2) * 0x1_0000;
    return { width: u24(data + 4) + 1, height: u24(data + 7) + 1 };
  }
  if (bytes.has(at, "VP8 ")) {
    if (!bytes.has(data + 3, "\x9d\x01\x2a")) throw new ImageFileError("damaged", "the file has no key frame");
    return { width: bytes.u16(data + 6, true) & LOSSY_BITS, height: bytes.u16(data + 8, true) & LOSSY_BITS };
  }
  if (bytes.has(at, "VP8L")) {
    const bits = bytes.u32(data + 1, true);
    return { width: (bits & LOSSY_BITS) + 1, height: ((bits >>> 14) & LOSSY_BITS) + 1 };
  }
  return undefined;
}

const CORE_HEADER_BYTES = 12;

/** Compressions with which each row has its full length: none, and bit fields. */
const PLAIN_PIXELS = [0, 3];

/** The height of an image that is stored from the top down is negative. */
function readBmp(bytes: Bytes): StoredImage {
  const [start, isCore] = [bytes.u32(10, true), bytes.u32(14, true) === CORE_HEADER_BYTES];
  const width = isCore ? bytes.u16(18, true) : bytes.u32(18, true);
  const height = isCore ? bytes.u16(20, true) : Math.abs(bytes.i32(22, true));
  const bits = bytes.u16(isCore ? 24 : 28, true);
  const isPlain = isCore || PLAIN_PIXELS.includes(bytes.u32(30, true));
  const length = isPlain ? 4 * Math.ceil((width * bits) / 32) * height : 1;
  if (start + length > bytes.length) throw cut();
  return { width, height };
}

/** Length of the signature. */
const PNG_HEAD = 8;

const READERS: Readonly<Record<ImageMediaType, (bytes: Bytes) => StoredImage>> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/gif": readGif,
  "image/webp": readWebp,
  "image/bmp": readBmp,
};

/** Values of Exif's orientation with which width and height change places. */
const FIRST_TURNED = 5;
const LAST_TURNED = 8;
const ORIENTATION_TAG = 0x0112;
const ENTRY_BYTES = 12;
/** Pillow takes the second byte order of the number 42 too. */
const TIFF_HEADS = ["II*\0", "MM\0*", "II\0*", "MM*\0"];
/** Types of values. */
const SHORT = 3;
const LONG = 4;

/** Pillow, with which engines decode, finds it so. */
const XMP_ORIENTATION = /tiff:Orientation(?:="|>)([0-9])/;

function readXmpOrientation(xmp: Bytes): number | undefined {
  const digit = XMP_ORIENTATION.exec(xmp.text())?.[1];
  return digit === undefined ? undefined : Number(digit);
}

/** Returns undefined if the block has no orientation. Decoders ignore Exif data that they cannot read. */
function readOrientation(exif: Bytes): number | undefined {
  try {
    const tiff = withoutPrefix(exif);
    if (!TIFF_HEADS.some((head) => tiff.has(0, head))) return undefined;
    const isLittle = tiff.has(0, "II");
    const directory = tiff.u32(4, isLittle);
    const count = tiff.u16(directory, isLittle);
    for (let i = 0; i < count; i++) {
      const entry = directory + 2 + i * ENTRY_BYTES;
      if (tiff.u16(entry, isLittle) !== ORIENTATION_TAG) continue;
      const type = tiff.u16(entry + 2, isLittle);
      if (type === SHORT) return tiff.u16(entry + 8, isLittle);
      // Against the standard.
      return type === LONG ? tiff.u32(entry + 8, isLittle) : undefined;
    }
  } catch (error) {
    if (!(error instanceof ImageFileError)) throw error;
  }
  return undefined;
}

/** Some programs write the prefix of JPEG's segment in other files too, or twice. */
function withoutPrefix(exif: Bytes): Bytes {
  let at = 0;
  while (exif.has(at, EXIF)) at += EXIF.length;
  return exif.slice(at);
}
