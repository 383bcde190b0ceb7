/** The longest delay of a Node timer is 2³¹ − 1 milliseconds. With a longer delay it fires immediately. */
export const MAX_SECONDS = 2_147_483;
/** Minimum length of an admin key, in characters. */
export const MIN_KEY_LENGTH = 16;
export const MEBIBYTE = 1024 ** 2;
export const GIBIBYTE = 1024 ** 3;
//# sourceMappingURL=limits.js.map