/** Creates a session key: `sk-`, the worker's tag if it has one, and 32 random bytes in base64url. */
export declare function newSessionKey(workerTag?: string): string;
/** Returns the SHA-256 of a text. Of a key, only the hash is stored. */
export declare function hashText(text: string): string;
/** Compares two hashes in constant time. */
export declare function sameHash(a: string, b: string): boolean;
