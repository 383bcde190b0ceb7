import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** A fresh session key: `sk-`, the worker's tag where it has one, and 32 random bytes in base64url. */
export function newSessionKey(workerTag?: string): string {
  const prefix = workerTag === undefined ? "sk-" : `sk-${workerTag}.`;
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

/** What is kept of a key: its SHA-256. */
export function hashKey(key: string): string {
  return hash("sha256", key, "base64url");
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
