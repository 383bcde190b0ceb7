import { crc32 } from "node:zlib";

/** Returns a value as JSON behind a checksum: a database does not notice a bit that its disk has changed. */
export function seal(value: unknown): string {
  const text = JSON.stringify(value);
  return checksum(text) + text;
}

/** @throws Error if the text is not what {@link seal} returned */
export function unseal<T>(sealed: string, name: string): T {
  const text = sealed.slice(DIGITS);
  if (sealed.slice(0, DIGITS) !== checksum(text)) throw new Error(`the record of ${name} is damaged`);
  return JSON.parse(text) as T;
}

const DIGITS = 8;

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(DIGITS, "0");
}
