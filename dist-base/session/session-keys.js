import { hash, randomBytes, timingSafeEqual } from "node:crypto";
/** Creates a session key: `sk-`, the worker's tag if it has one, and 32 random bytes in base64url. */
export function newSessionKey(workerTag) {
    const prefix = workerTag === undefined ? "sk-" : `sk-${workerTag}.`;
    return `${prefix}${randomBytes(32).toString("base64url")}`;
}
/** Returns the SHA-256 of a text. Of a key, only the hash is stored. */
export function hashText(text) {
    return hash("sha256", text, "base64url");
}
/** Compares two hashes in constant time. */
export function sameHash(a, b) {
    const [left, right] = [Buffer.from(a), Buffer.from(b)];
    return left.length === right.length && timingSafeEqual(left, right);
}
//# sourceMappingURL=session-keys.js.map