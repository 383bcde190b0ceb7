/** Returns the longest prefix of whole characters that takes at most `bytes` bytes of UTF-8. */
export declare function firstBytes(text: string, bytes: number): string;
