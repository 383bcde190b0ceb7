import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** Returns a PNG file in one color, which decoders accept. */
export function png(
  width: number,
  height: number,
  [red, green, blue]: readonly [number, number, number] = [128, 128, 128],
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits for each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.concat([Buffer.of(0), Buffer.alloc(3 * width, Buffer.of(red, green, blue))]);
  const pixels = deflateSync(Buffer.concat(Array<Buffer>(height).fill(line)));
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Uint8Array.from(
    Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]),
  );
}

/** Returns the digest by which a session knows a file. */
export const digestOf = (file: Uint8Array): string => createHash("sha256").update(file).digest("hex");

export const toBase64 = (file: Uint8Array): string => Buffer.from(file).toString("base64");

export const dataUrl = (file: Uint8Array): string => `data:image/png;base64,${toBase64(file)}`;

function chunk(type: string, data: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
