import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** Small files of every format that engines read. */

/** Returns a chunk of a PNG file. */
export function pngChunk(type: string, data: Uint8Array = new Uint8Array()): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** Returns the signature and the header of a PNG file. colorType: of the format; default: gray. */
export function pngHeader(width: number, height: number, colorType = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  header[9] = colorType;
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), pngChunk("IHDR", header)]);
}

/**
 * Returns a PNG file of one gray.
 *
 * @param gray 0 to 255; images of different grays are different files
 * @param chunks further chunks before the data
 */
export function makePng(width: number, height: number, gray = 0, chunks: readonly Buffer[] = []): Buffer {
  // Each row begins with its filter.
  const row = Buffer.alloc(width + 1, gray).fill(0, 0, 1);
  const rows = Buffer.concat(Array.from({ length: height }, () => row));
  return Buffer.concat([pngHeader(width, height), ...chunks, pngChunk("IDAT", deflateSync(rows)), pngChunk("IEND")]);
}

const RGBA = 6;

/** Returns a PNG file whose red grows from top to bottom and whose opacity grows from left to right. */
export function makeGradientPng(width: number, height: number, chunks: readonly Buffer[] = []): Buffer {
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (__, x) => [
      Math.trunc((255 * y) / height),
      60,
      20,
      Math.trunc((255 * x) / width),
    ]).flat(),
  ]);
  const data = pngChunk("IDAT", deflateSync(Uint8Array.from(rows.flat())));
  return Buffer.concat([pngHeader(width, height, RGBA), ...chunks, data, pngChunk("IEND")]);
}

/** Returns Exif data with an orientation, without the prefix of JPEG's segment. */
export function makeExif(orientation: number, order: "II" | "MM" = "MM"): Buffer {
  const exif = Buffer.alloc(26);
  const u16 = (value: number, at: number) =>
    order === "II" ? exif.writeUInt16LE(value, at) : exif.writeUInt16BE(value, at);
  const u32 = (value: number, at: number) =>
    order === "II" ? exif.writeUInt32LE(value, at) : exif.writeUInt32BE(value, at);
  exif.write(order, "latin1");
  u16(42, 2);
  u32(8, 4);
  u16(1, 8);
  // Tag, type and count of the only entry, then its value.
  u16(0x0112, 10);
  u16(3, 12);
  u32(1, 14);
  u16(orientation, 18);
  return exif;
}

/** Written by Pillow: each is 3 pixels wide and 2 high. */
const FILES = {
  jpeg:
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////" +
    "wAALCAACAAMBASIA/8QAFAABAAAAAAAAAAAAAAAAAAAAAf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AH//Z",
  gif: "R0lGODdhAwACAIEAAMgeWgAAAAAAAAAAACwAAAAAAwACAAAIBgABCBwYEAA7",
  webp: "UklGRioAAABXRUJQVlA4IB4AAAAwAQCdASoDAAIADMDOJaAAA3AA/tSTf+LtotMrgAA=",
  losslessWebp: "UklGRh4AAABXRUJQVlA4TBEAAAAvAkAAAAdQjyJXq/+BiOh/AAA=",
  /** With Exif data that turns it by a quarter. */
  turnedWebp:
    "UklGRl4AAABXRUJQVlA4WAoAAAAIAAAAAgAAAQAAVlA4IB4AAAAwAQCdASoDAAIADMDOJaAAA3AA/tSTf+LtotMrgABFWElGGgAAAE1NACoAAAAIAAEBEgADAAAA" +
    "AQAGAAAAAAAA",
  bmp: "Qk1OAAAAAAAAADYAAAAoAAAAAwAAAAIAAAABABgAAAAAABgAAADEDgAAxA4AAAAAAAAAAAAAWh7IWh7IWh7IAAAAWh7IWh7IWh7IAAAA",
} as const;

export const imageFile = (name: keyof typeof FILES): Buffer => Buffer.from(FILES[name], "base64");

/** Returns the digest by which a session knows a file. */
export const digestOf = (file: Uint8Array): string => createHash("sha256").update(file).digest("hex");

export const toBase64 = (file: Uint8Array): string => Buffer.from(file).toString("base64");

export const dataUrl = (file: Uint8Array): string => `data:image/png;base64,${toBase64(file)}`;

/** Headers with which a PNG file from an agent is sent to a browser. */
export const PNG_HEADERS = {
  "content-type": "image/png",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "content-disposition": "inline",
  "cache-control": "private, max-age=31536000, immutable",
  vary: "authorization, cookie",
} as const;
