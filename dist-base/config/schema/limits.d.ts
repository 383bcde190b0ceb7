/** The longest delay of a Node timer is 2³¹ − 1 milliseconds. With a longer delay it fires immediately. */
export declare const MAX_SECONDS = 2147483;
/** Minimum length of an admin key, in characters. */
export declare const MIN_KEY_LENGTH = 16;
export declare const MEBIBYTE: number;
export declare const GIBIBYTE: number;
