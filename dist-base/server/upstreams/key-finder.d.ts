/** Returns true if a text contains one of the keys. */
export type KeyFinder = (text: string) => boolean;
/**
 * Returns a function that finds keys in the headers and the query of a request: as they are, percent-encoded up to twice, as hexadecimal digits, or in
 * the base64 of a text that contains them, such as `user:KEY`.
 */
export declare function findKeys(keys: readonly string[]): KeyFinder;
