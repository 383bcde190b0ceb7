/** The longest time that a timer of Node can wait is 2³¹ − 1 milliseconds; over it, it fires at once. */
export const MAX_SECONDS = 2_147_483;

/** Shortest admin key that is accepted, in characters. */
export const MIN_KEY_LENGTH = 16;

export const MEBIBYTE = 1024 ** 2;
export const GIBIBYTE = 1024 ** 3;
