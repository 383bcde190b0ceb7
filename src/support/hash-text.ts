import { hash, timingSafeEqual } from "node:crypto";

/** Returns the SHA-256 of a text, in base64url. */
export function hashText(text: string): string {
  return hash("sha256", text, "base64url");
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
