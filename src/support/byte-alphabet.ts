/**
 * GPT-2's reversible map from bytes to printable characters, by which byte-level BPE vocabularies spell their tokens:
 * printable Latin-1 bytes stand for themselves, the others for the characters from U+0100 on.
 *
 * @returns 256 characters, indexed by byte.
 */
export function byteAlphabet(): string[] {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}
