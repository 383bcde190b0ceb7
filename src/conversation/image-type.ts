export type ImageMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/bmp";

/** Latin-1 texts at the beginning of a file, each with its offset. */
type Signature = readonly (readonly [at: number, text: string])[];

const SIGNATURES: readonly (readonly [ImageMediaType, Signature])[] = [
  ["image/png", [[0, "\x89PNG\r\n\x1a\n"]]],
  ["image/jpeg", [[0, "\xff\xd8\xff"]]],
  ["image/gif", [[0, "GIF87a"]]],
  ["image/gif", [[0, "GIF89a"]]],
  [
    "image/webp",
    [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  ],
  ["image/bmp", [[0, "BM"]]],
];

/** Returns the type of an image file by its first bytes; undefined if it is of no type that engines read. Also runs in browsers. */
export function readImageType(file: Uint8Array): ImageMediaType | undefined {
  const has = ([at, text]: Signature[number]) =>
    Array.from(text, (char) => char.charCodeAt(0)).every((byte, i) => file[at + i] === byte);
  return SIGNATURES.find(([, signature]) => signature.every(has))?.[0];
}
