import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** Returns a PNG file of this size in one shade of gray. */
export function png(width: number, height: number, shade = 128): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const line = Buffer.alloc(width + 1, shade);
  line[0] = 0;
  const pixels = deflateSync(Buffer.concat(new Array<Buffer>(height).fill(line)));
  const chunks = [chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body) >>> 0, 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

export const dataUrl = (file: Uint8Array): string => `data:image/png;base64,${Buffer.from(file).toString("base64")}`;

export const sha256 = (file: Uint8Array): string => createHash("sha256").update(file).digest("hex");
