/** Deepest nesting of JSON in a request, so that code that recurses over it cannot overflow the stack. */
export declare const MAX_DEPTH = 128;
/** Returns true if a JSON value nests at most {@link MAX_DEPTH} levels. Does not recurse deeper than that. */
export declare function isShallow(value: unknown): boolean;
